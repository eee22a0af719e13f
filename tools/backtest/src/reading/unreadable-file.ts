/** Nothing of the file can be walked; the message is a sentence for the person who gave it. */
export class UnreadableFile extends Error {}
