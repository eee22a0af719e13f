export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}
