import { read } from "node:fs";
import { Readable } from "node:stream";
import { RandomAccessReader } from "yauzl";
import type { Upload } from "../upload.ts";

/** More than most lists of files in a zip have. */
const windowBytes = 1024 * 1024;

/**
 * Reads a zip on the disk. While it is listed, the bytes are read in large pieces, because the library asks for each
 * entry with two small reads.
 */
export class ZipReader extends RandomAccessReader {
  private readonly upload: Upload;
  private window = Buffer.alloc(0);
  private windowStart = 0;
  private isListing = true;

  constructor(upload: Upload) {
    super();
    this.upload = upload;
  }

  /** From now on, only the bytes that are asked for are read. */
  endListing(): void {
    this.isListing = false;
    this.window = Buffer.alloc(0);
  }

  override createReadStream({ start, end }: { start: number; end: number }): Readable {
    return Readable.from(this.upload.read(start, end));
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const { fd, startAt } = this.upload;
    const from = position - this.windowStart;
    if (from >= 0 && from + length <= this.window.length) {
      this.window.copy(buffer, offset, from, from + length);
      callback(null, length);
      return;
    }
    if (!this.isListing) {
      read(fd, buffer, offset, length, startAt + position, callback);
      return;
    }
    const next = Buffer.allocUnsafe(Math.max(length, windowBytes));
    read(fd, next, 0, next.length, startAt + position, (error, bytesRead) => {
      if (error !== null) return callback(error);
      this.window = next.subarray(0, bytesRead);
      this.windowStart = position;
      const copied = Math.min(length, bytesRead);
      this.window.copy(buffer, offset, 0, copied);
      callback(null, copied);
    });
  }
}
