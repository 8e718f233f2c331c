import * as rows from "./rows.ts";
import chardet from "chardet";
import * as shared from "#contract/decode-text.ts";
import type { UnreadReason } from "#contract/parts/unread-files.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { ExtractionError, ExtractionLimitError } from "./extraction-error.ts";
import { createFailureBackoff } from "./failure-backoff.ts";
import { kindOf } from "./file-kind.ts";
import { extractionLimits } from "./limits.ts";
import { createLruCache } from "./lru-cache.ts";
import type { Office } from "./office/office.ts";
import { pdfPageTexts } from "./pdf-reader.ts";
import type { FileSource } from "./file-source.ts";

/** The text of a file, or its beginning. Pages are separated by form feeds. */
export type FileText = {
  text: string;
  isCut: boolean;
  pages?: number;
  /** The languages in which text was looked for in its pictures, and on how many pages there is some. */
  recognized?: { in: string; pages: number };
};

/** The text of files, for models and for search. It is extracted once per content and stored. */
export type Texts = {
  /** Throws `ExtractionError`, what the blob store throws, and the signal's reason. */
  extract(source: FileSource, signal: AbortSignal): Promise<FileText>;
  /** Stores a text that has more than was extracted. */
  improve(source: FileSource, text: FileText): Promise<FileText>;
};

type Outcome = FileText | UnreadReason;

/** Increase it when extraction improves: texts of older versions are extracted again. */
const extractorVersion = 2;

/** Failures that depend only on the bytes. Other failures are temporary or depend on the name. */
const permanent = new Set<UnreadReason>(["locked", "damaged", "too-large", "only-pictures"]);

export function createTexts(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "info" | "warn">;
  pdf: Pdf;
  office: Office;
}): Texts {
  const { db, clock, logger, pdf, office } = options;
  const cache = createLruCache<Outcome>(extractionLimits.cacheBytesMax / 8, (outcome) =>
    typeof outcome === "string" ? 100 : 2 * outcome.text.length,
  );
  const failures = createFailureBackoff(clock);

  async function findStored(blobKey: string): Promise<Outcome | undefined> {
    const row = await rows.findText(db.read, blobKey);
    if (row === undefined || row.reader < extractorVersion) return undefined;
    if (row.reason !== null) return row.reason as UnreadReason;
    const { text, is_cut: isCut, pages, recognized_in: recognizedIn, recognized_pages: count } = row;
    return {
      text,
      isCut: isCut === 1,
      ...(pages === null ? {} : { pages }),
      ...(recognizedIn === null ? {} : { recognized: { in: recognizedIn, pages: count ?? 0 } }),
    };
  }

  async function save(blobKey: string, outcome: Outcome): Promise<void> {
    const isFailure = typeof outcome === "string";
    const { text, isCut, pages, recognized }: FileText = isFailure ? { text: "", isCut: false } : outcome;
    const row = {
      blob_key: blobKey,
      reader: extractorVersion,
      reason: isFailure ? outcome : null,
      text,
      is_cut: isCut ? 1 : 0,
      pages: pages ?? null,
      recognized_in: recognized?.in ?? null,
      recognized_pages: recognized?.pages ?? null,
      created_at: clock.now(),
    };
    // Without the row, the text is extracted again.
    await db
      .write(async (tx) => await rows.saveText(tx, row))
      .catch((error: unknown) => logger.warn({ err: error }, "the text of a file was not stored"));
  }

  async function tryExtract(source: FileSource, signal: AbortSignal): Promise<Outcome> {
    try {
      return storable(await extract(source, signal));
    } catch (error) {
      if (!(error instanceof ExtractionError)) throw error;
      logger.info(
        { sha256: source.sha256, type: source.type, reason: error.reason, err: error.cause },
        "the text of a file could not be extracted",
      );
      if (error instanceof ExtractionLimitError) throw error;
      return error.reason;
    }
  }

  async function extract(source: FileSource, signal: AbortSignal): Promise<FileText> {
    const kind = kindOf(source.type, source.name);
    if (kind === "locked") throw new ExtractionError("locked");
    if (kind === "text") {
      const bytes = await source.bytes(extractionLimits.textBytesMax, signal);
      const isCut = source.sizeBytes > bytes.length;
      const text = decodeText(bytes, isCut);
      if (text === undefined) throw new ExtractionError("kind");
      return { text, isCut };
    }
    if (kind !== "pdf" && kind !== "office") throw new ExtractionError("kind");
    if (source.sizeBytes > extractionLimits.openedBytesMax) throw new ExtractionError("too-large");
    const bytes = await source.bytes(extractionLimits.openedBytesMax, signal);
    if (kind === "office") return await office.extract(bytes, signal);
    const pages = await pdfPageTexts(pdf, bytes, signal);
    return {
      text: pages.map((page) => page.replaceAll("\f", "\n")).join("\f"),
      isCut: false,
      pages: pages.length,
    };
  }

  return {
    async improve(source, text) {
      const improved = storable(text);
      if (source.blobKey !== undefined) await save(source.blobKey, improved);
      cache.forget(keyOf(source));
      return improved;
    },
    async extract(source, signal) {
      const { blobKey } = source;
      const key = keyOf(source);
      const outcome = await cache.getOrCreate(
        key,
        async () => {
          const stored = blobKey === undefined ? undefined : await findStored(blobKey);
          if (stored !== undefined) return stored;
          const extracted = await failures.run(key, async () => await tryExtract(source, signal));
          if (extracted === "away") throw new ExtractionError("away");
          if (blobKey !== undefined && (typeof extracted !== "string" || permanent.has(extracted)))
            await save(blobKey, extracted);
          return extracted;
        },
        signal,
      );
      if (typeof outcome === "string") throw new ExtractionError(outcome);
      return outcome;
    },
  };
}

/** The text, cut to the length that is stored and without characters that a database cannot store. */
function storable({ text, isCut, ...more }: FileText): FileText {
  return {
    text: cleanText(cutText(text, extractionLimits.storedCharactersMax)),
    isCut: isCut || text.length > extractionLimits.storedCharactersMax,
    ...more,
  };
}

const keyOf = ({ cacheKey, type, name }: FileSource): string => `${cacheKey} ${kindOf(type, name)}`;

/** Decodes text in any encoding; `undefined`: the bytes are not text. `isCut`: these are only the first bytes. */
export function decodeText(bytes: Uint8Array, isCut: boolean): string | undefined {
  return shared.decodeText(bytes, isCut, (looked) => chardet.analyse(looked));
}
