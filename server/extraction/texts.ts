import type { UnreadReason } from "#contract/unread-files.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { createAtHand } from "./lru-cache.ts";
import { decodeText } from "./decode.ts";
import { createFailures } from "./failures.ts";
import { bounds } from "./bounds.ts";
import { kindOf } from "./kinds.ts";
import { ExhaustedError, FaultError } from "./office/fault.ts";
import type { Office } from "./office/office.ts";
import { pageTexts } from "./pdf-reader.ts";
import * as rows from "./rows.ts";
import type { Source } from "./source.ts";

/** The text of a file, in whole or its beginning; pages stand between form feeds. */
export type FileText = { text: string; isCut: boolean; pages?: number };

/** The text of files, read once and then kept: for models, and for search. */
export type Texts = {
  /** Throws `FaultError`, what the store throws, and the signal's reason. */
  of(source: Source, signal: AbortSignal): Promise<FileText>;
};

/** Raised when files come to be read better: what was kept before is read again. */
const reader = 2;

/** What is true of the bytes, and will be. Others depend on the moment or on the name. */
const lasting = new Set<UnreadReason>(["locked", "damaged", "too-large", "only-pictures"]);

export function createTexts(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "info" | "warn">;
  pdf: Pdf;
  office: Office;
}): Texts {
  const { db, clock, logger, pdf, office } = options;
  const atHand = createAtHand<FileText | UnreadReason>(bounds.atHandBytes / 8, (made) =>
    typeof made === "string" ? 100 : 2 * made.text.length,
  );

  const failures = createFailures(clock);

  async function kept(blobKey: string): Promise<FileText | UnreadReason | undefined> {
    const row = await rows.findText(db.read, blobKey);
    if (row === undefined || row.reader < reader) return undefined;
    if (row.reason !== null) return row.reason as UnreadReason;
    const { text, is_cut: isCut, pages } = row;
    return { text, isCut: isCut === 1, ...(pages === null ? {} : { pages }) };
  }

  async function keep(blobKey: string, read: FileText | UnreadReason): Promise<void> {
    const made = typeof read === "string" ? { text: "", isCut: false, pages: undefined } : read;
    const row = {
      blob_key: blobKey,
      reader,
      reason: typeof read === "string" ? read : null,
      text: made.text,
      is_cut: made.isCut ? 1 : 0,
      pages: made.pages ?? null,
      created_at: clock.now(),
    };
    // It is only work that is lost: the next one reads it again.
    await db
      .write(async (tx) => await rows.keepText(tx, row))
      .catch((error: unknown) => logger.warn({ err: error }, "the text of a file was not kept"));
  }

  async function read(source: Source, signal: AbortSignal): Promise<FileText | UnreadReason> {
    try {
      return bounded(await extract(source, signal));
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      logger.info(
        { sha256: source.sha256, type: source.type, reason: error.reason, err: error.cause },
        "a file could not be read",
      );
      if (error instanceof ExhaustedError) throw error;
      return error.reason;
    }
  }

  async function extract(source: Source, signal: AbortSignal): Promise<FileText> {
    const kind = kindOf(source.type, source.name);
    if (kind === "locked") throw new FaultError("locked");
    if (kind === "text") {
      const bytes = await source.bytes(bounds.textBytes, signal);
      const isCut = source.sizeBytes > bytes.length;
      const text = decodeText(bytes, isCut);
      if (text === undefined) throw new FaultError("kind");
      return { text, isCut };
    }
    if (kind !== "pdf" && kind !== "office") throw new FaultError("kind");
    if (source.sizeBytes > bounds.openedBytes) throw new FaultError("too-large");
    const bytes = await source.bytes(bounds.openedBytes, signal);
    if (kind === "office") return await office.read(bytes, signal);
    const pages = await pageTexts(pdf, bytes, signal);
    return {
      text: pages.map((page) => page.replaceAll("\f", "\n")).join("\f"),
      isCut: false,
      pages: pages.length,
    };
  }

  return {
    async of(source, signal) {
      const { blobKey } = source;
      const key = `${source.atHandKey} ${kindOf(source.type, source.name)}`;
      const outcome = await atHand.take(
        key,
        async () => {
          const before = blobKey === undefined ? undefined : await kept(blobKey);
          if (before !== undefined) return before;
          const made = await failures.unlessFailed(key, async () => await read(source, signal));
          if (made === "away") throw new FaultError("away");
          if (blobKey !== undefined && (typeof made !== "string" || lasting.has(made)))
            await keep(blobKey, made);
          return made;
        },
        signal,
      );
      if (typeof outcome === "string") throw new FaultError(outcome);
      return outcome;
    },
  };
}

/** As it is kept: no more than that, and nothing that an engine cannot hold. */
function bounded({ text, isCut, pages }: FileText): FileText {
  const short = cleanText(cutText(text, bounds.keptCharacters));
  return {
    text: short,
    isCut: isCut || text.length > bounds.keptCharacters,
    ...(pages === undefined ? {} : { pages }),
  };
}
