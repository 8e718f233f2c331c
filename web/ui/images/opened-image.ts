/** A picture that opens in full size, and its name. */
export type OpenedImage = { source: string; name: string };
