/** Version of every formula and text in this library. Equal input and equal version give equal bytes. */
export const ENGINE_VERSION = '1.2.0';
