const MiB = 1024 * 1024;

/** How much of each file is extracted, and how much one model request contains. */
export const extractionLimits = {
  /** Files in one request, newest first. The rest are left out. */
  filesMax: 60,
  /** Pictures in one request, including pages of PDFs. */
  picturesMax: 30,
  /** Pages of one PDF that are sent as pictures. */
  renderedPagesMax: 20,
  /** Pictures, PDFs and sound in one request, before base64. Providers accept some 20 to 50 MB. */
  mediaBytesMax: 20 * MiB,
  /** A shorter beginning of a longer text is not worth sending. */
  charactersMin: 1_000,

  /** Text that is stored per file: some 500 pages. */
  storedCharactersMax: 1_000_000,
  /** Only the beginning of a longer text file is decoded. A character has up to 4 bytes. */
  textBytesMax: 4 * MiB,
  /** Larger files that are not text are not opened. */
  openedBytesMax: 25 * MiB,
  /** The uncompressed size of an office document. */
  unpackedBytesMax: 128 * MiB,
  officeMs: 20_000,

  /** After this time, no more scanned pages of a file are recognized. */
  recognitionMs: 120_000,

  /** Models scale larger pictures down to about this size. */
  pictureEdgePixels: 2_048,
  pictureBytesMax: 4 * MiB,
  /** A page at this size has print as large as on a screen. */
  pageEdgePixels: 1_600,
  /** Larger pictures are not decoded: 64 megapixels take 256 MB, and cameras make fewer. */
  picturePixelsMax: 64_000_000,
  pictureMs: 20_000,
  /** A tile of 16rem on a screen with a device pixel ratio of 2. */
  thumbnailEdgePixels: 512,
  /** For the process that makes thumbnails. */
  thumbnailMemoryBytesMax: 512 * MiB,
  /** Prepared pictures in the LRU caches. */
  cacheBytesMax: 64 * MiB,
} as const;
