const MiB = 1024 * 1024;

/** How much of files is read, and how much of them one request to a model may have. */
export const bounds = {
  /** Files of one request that are looked at, the newest first; of a person's thread all, of a machine's not. */
  files: 60,
  /** Pictures of one request, pages of PDFs among them. */
  pictures: 30,
  /** Pages of one PDF that are given as pictures. */
  drawnPages: 20,
  /** Pictures, PDFs and sound of one request together, before base64: providers take some 20 to 50 MB. */
  mediaBytes: 20 * MiB,
  /** Less room than this for a text is none. */
  leastCharacters: 1_000,

  /** Text that is kept of one file: some 300 pages. */
  keptCharacters: 1_000_000,
  /** Of a text file its first part is read; a character has up to 4 bytes. */
  textBytes: 4 * MiB,
  /** A larger file that is not text is not opened. */
  openedBytes: 25 * MiB,
  /** What an office document may unfold to. */
  unpackedBytes: 128 * MiB,
  officeMs: 20_000,

  /** Models scale pictures down to about this; more only costs. */
  pictureEdge: 2_048,
  pictureBytes: 4 * MiB,
  /** Of a page, at the same size of print as a screen's. */
  pageEdge: 1_600,
  /** A picture of more is not unfolded: 64 megapixels are 256 MB, and more than cameras make. */
  picturePixels: 64_000_000,
  pictureMs: 20_000,
  /** Of a thumbnail: a tile of 16rem on a screen of two dots for each pixel. */
  thumbnailEdge: 512,
  /** Of the process that makes them: 64 megapixels of the usual kind are 256 MB. */
  thumbnailMemoryBytes: 512 * MiB,
  /** Prepared pictures that are kept at hand. */
  atHandBytes: 64 * MiB,
} as const;
