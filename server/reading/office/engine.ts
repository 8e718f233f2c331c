import { FaultError } from "./fault.ts";
import { readOpenDocument } from "./open-document.ts";
import { openPackage, type Package } from "./package.ts";
import { readSheets } from "./sheets.ts";
import { readSlides } from "./slides.ts";
import { readWord } from "./word.ts";
import { EnoughError, newWords, type Words } from "./words.ts";

export type OfficeText = { text: string; isCut: boolean };

export type OfficeBounds = { unpackedBytesMax: number; charactersMax: number };

/** The text of an office document, whatever its name says that it is. Throws `FaultError`. */
export async function officeText(bytes: Uint8Array, bounds: OfficeBounds): Promise<OfficeText> {
  const archive = await openPackage(bytes, bounds.unpackedBytesMax);
  const read = readerOf(archive);
  if (read === undefined) throw new FaultError("kind");
  const words = newWords(bounds.charactersMax);
  try {
    await read(archive, words);
  } catch (error) {
    // What came before the bound is worth having, unless it is nothing but unpacking.
    if (!(error instanceof EnoughError)) throw error;
    return { text: words.all(), isCut: true };
  }
  return { text: words.all(), isCut: false };
}

function readerOf(archive: Package): ((archive: Package, words: Words) => Promise<unknown>) | undefined {
  if (archive.has("word/document.xml")) return readWord;
  if (archive.has("xl/workbook.xml")) return readSheets;
  if (archive.has("ppt/presentation.xml")) return readSlides;
  if (archive.has("mimetype") && archive.has("content.xml")) return readOpenDocument;
  return undefined;
}
