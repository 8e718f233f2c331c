import { FaultError } from "./fault.ts";
import { readOpenDocument } from "./open-document.ts";
import { openPackage, type Package } from "./package.ts";
import { relationsOf } from "./relations.ts";
import { readSheets } from "./sheets.ts";
import { readSlides } from "./slides.ts";
import { readWord } from "./word.ts";
import { EnoughError, newWords, type Words } from "./words.ts";

export type OfficeText = { text: string; isCut: boolean };

export type OfficeBounds = { unpackedBytesMax: number; charactersMax: number };

/** The text of an office document, whatever its name says that it is. Throws `FaultError`. */
export async function officeText(bytes: Uint8Array, bounds: OfficeBounds): Promise<OfficeText> {
  const archive = await openPackage(bytes, bounds.unpackedBytesMax);
  const read = await readerOf(archive);
  if (read === undefined) throw new FaultError("kind");
  const words = newWords(bounds.charactersMax);
  try {
    await read(archive, words);
  } catch (error) {
    // What came before the bound is worth having, unless it is nothing but unpacking.
    if (!(error instanceof EnoughError)) throw error;
    return { text: words.all(), isCut: true };
  }
  const text = words.all();
  // Slides without a word on them, or pages that were scanned.
  if (text.replaceAll(/^--- .* ---$/gm, "").trim() === "" && archive.names().some(isPicture))
    throw new FaultError("only-pictures");
  return { text, isCut: false };
}

const isPicture = (name: string) => /^(?:(?:word|ppt|xl)\/media|Pictures)\/./.test(name);

type Reader = (archive: Package, words: Words) => Promise<unknown>;

async function readerOf(archive: Package): Promise<Reader | undefined> {
  const isWord = archive.names().some((name) => name.startsWith("word/"));
  const main = isWord ? await mainPart(archive, "word/document.xml") : undefined;
  if (main !== undefined) return async (archive, words) => await readWord(archive, main, words);
  if (archive.has("xl/workbook.xml")) return readSheets;
  if (archive.has("ppt/presentation.xml")) return readSlides;
  if (archive.has("mimetype") && archive.has("content.xml")) return readOpenDocument;
  return undefined;
}

/** Where the text stands, which not every program calls the same. */
async function mainPart(archive: Package, usual: string): Promise<string | undefined> {
  const named = (await relationsOf(archive, "")).find(({ type }) => type === "officeDocument")?.target;
  return [named, usual].find((part) => part !== undefined && archive.has(part));
}
