import { ExtractionError } from "../extraction-error.ts";
import { readOpenDocument } from "./odf.ts";
import { openPackage, type Package } from "./package.ts";
import { relationsOf } from "./relations.ts";
import { readSheets } from "./sheets.ts";
import { readSlides } from "./slides.ts";
import { readWord } from "./word.ts";
import { LimitReachedError, createTextBuffer, type TextBuffer } from "./text-buffer.ts";

export type OfficeText = { text: string; isCut: boolean };

export type OfficeLimits = { unpackedBytesMax: number; charactersMax: number };

/** The text of an office document, whatever its file name. Throws `ExtractionError`. */
export async function extractOfficeText(bytes: Uint8Array, limits: OfficeLimits): Promise<OfficeText> {
  const archive = await openPackage(bytes, limits.unpackedBytesMax);
  const read = await readerOf(archive);
  if (read === undefined) throw new ExtractionError("kind");
  const buffer = createTextBuffer(limits.charactersMax);
  try {
    await read(archive, buffer);
  } catch (error) {
    if (!(error instanceof LimitReachedError)) throw error;
    return { text: buffer.text(), isCut: true };
  }
  const text = buffer.text();
  // Slides without text, or scanned pages.
  if (text.replaceAll(/^--- .* ---$/gm, "").trim() === "" && archive.names().some(isPicture))
    throw new ExtractionError("only-pictures");
  return { text, isCut: false };
}

const isPicture = (name: string) => /^(?:(?:word|ppt|xl)\/media|Pictures)\/./.test(name);

type Reader = (archive: Package, buffer: TextBuffer) => Promise<unknown>;

async function readerOf(archive: Package): Promise<Reader | undefined> {
  const isWord = archive.names().some((name) => name.startsWith("word/"));
  const main = isWord ? await mainPart(archive, "word/document.xml") : undefined;
  if (main !== undefined) return async (archive, buffer) => await readWord(archive, main, buffer);
  if (archive.has("xl/workbook.xml")) return readSheets;
  if (archive.has("ppt/presentation.xml")) return readSlides;
  if (archive.has("mimetype") && archive.has("content.xml")) return readOpenDocument;
  return undefined;
}

/** The part with the document's text. Programs name it differently. */
async function mainPart(archive: Package, usualName: string): Promise<string | undefined> {
  const named = (await relationsOf(archive, "")).find(({ type }) => type === "officeDocument")?.target;
  return [named, usualName].find((part) => part !== undefined && archive.has(part));
}
