import * as z from "zod/mini";
import { exportedMessage, exportVersion, threadFormat } from "#contract/endpoints/exports.ts";
import type { ErrorDetail } from "#contract/errors.ts";
import type { MissingFile, SkippedContent } from "#contract/endpoints/imports.ts";
import { limits } from "#contract/limits.ts";
import { runNoteKinds } from "#contract/run-events.ts";
import { feedbackCreate, scoreCreate } from "#contract/endpoints/scores.ts";
import { instant, metadata, name, title, wholeNumber } from "#contract/endpoints/fields.ts";
import { AppError } from "#server/lib/errors.ts";
import { validationMessage } from "#server/lib/validation-message.ts";

/** A thread of an export, from any service. It can be read several times. */
export type ThreadSource = {
  /**
   * Yields every message in order and returns the thread's metadata. Throws `bad-json`, `bad-request`, `too-large`,
   * `import-damaged` and `import-too-new`.
   */
  read(): AsyncGenerator<SourceMessage, IncomingThread, undefined>;
  /** The bytes of a file in the export; `undefined`: there is none, or it was read before. */
  bytesOf?(path: string): AsyncIterable<Uint8Array> | undefined;
  /** What the messages do not contain, although the export does. */
  skipped?(): Promise<SkippedContent[]>;
  /** The workspace for which ids were derived when the thread was imported before, if that was another one. */
  formerWorkspaceId?: string;
};

/**
 * A thread to import, or why it is refused. The title and the folder, if they are known before the thread is read.
 */
export type Candidate =
  | { title: string | null; folder?: string; source: ThreadSource }
  | { title: string | null; error: AppError };

const text = z.string();

/** A message of an export. Times and status are optional, for exports that are written by hand. */
export const incomingMessage = z.object({
  ...exportedMessage.shape,
  id: name,
  format: name,
  external_id: z.optional(z.nullable(name)),
  status: z.optional(
    z.object({
      type: z.enum(["running", "complete", "incomplete", "requires-action"]),
      reason: z.nullable(text.check(z.maxLength(64))),
      error_code: z.nullable(text.check(z.maxLength(64))),
    }),
  ),
  made_by: z.optional(
    z.nullable(
      z.object({
        assistant_id: z._default(z.nullable(name), null),
        assistant_name: z._default(z.nullable(name), null),
        model: z._default(z.nullable(name), null),
        notes: z._default(
          z
            .array(
              z.object({ kind: z.enum(runNoteKinds), name: text.check(z.maxLength(limits.nameCharacters)) }),
            )
            .check(z.maxLength(20)),
          [],
        ),
      }),
    ),
  ),
  created_at: z.optional(instant),
  updated_at: z.optional(instant),
});

export type IncomingMessage = z.infer<typeof incomingMessage>;

export type SourceMessage = IncomingMessage & {
  /** Files that the export does not have. */
  lost?: MissingFile[];
  /** For each part, the text that replaces it if its file cannot be imported. `undefined`: the part stays. */
  placeholders?: Placeholders;
};
export type Placeholders = readonly (string | undefined)[];

const incomingScore = z.object({
  message_id: z.nullable(text),
  name: text,
  data_type: z.enum(["numeric", "categorical", "boolean"]),
  value: z.nullable(z.number()),
  string_value: z.nullable(text),
  comment: z.optional(z.nullable(text)),
  created_at: z.optional(instant),
  updated_at: z.optional(instant),
});
export type IncomingScore = z.infer<typeof incomingScore>;

const incomingFile = z.object({
  id: name,
  name,
  size_bytes: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  sha256: text.check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal")),
  created_at: z.optional(instant),
  path: z.optional(z.nullable(text)),
});
export type IncomingFile = z.infer<typeof incomingFile>;

/** A thread of an export without its messages. */
export const incomingThread = z.object({
  format: z.literal(threadFormat, `must be "${threadFormat}"`),
  version: z.number(),
  thread: z.object({
    id: name,
    title: z.optional(z.nullable(title)),
    title_source: z.optional(z.nullable(z.enum(["person", "model", "fallback"]))),
    external_id: z.optional(z.nullable(name)),
    is_archived: z.optional(z.boolean()),
    is_pinned: z.optional(z.boolean()),
    local_only: z.optional(z.boolean()),
    metadata: z.optional(z.nullable(metadata)),
    assistant_id: z.optional(z.nullable(name)),
    model: z.optional(z.nullable(name)),
    created_at: z.optional(instant),
    updated_at: z.optional(instant),
    last_message_at: z.optional(instant),
    deleted_at: z.optional(z.nullable(instant)),
  }),
  shown: z._default(z.nullable(text), null),
  scores: z._default(z.array(incomingScore), []),
  files: z._default(
    z
      .array(incomingFile)
      .check(z.maxLength(limits.importFilesMax, `must be at most ${limits.importFilesMax}`)),
    [],
  ),
});
export type IncomingThread = z.infer<typeof incomingThread>;

/** Throws `bad-request` with the path of each wrong field, below `path`. */
export function validate<Shape extends z.ZodMiniType>(
  shape: Shape,
  value: unknown,
  path: string,
): z.output<Shape> {
  const outcome = z.safeParse(shape, value);
  if (outcome.success) return outcome.data;
  const details: ErrorDetail[] = outcome.error.issues.slice(0, 5).map((issue) => ({
    path: [path, ...issue.path.map(String)].filter((step) => step !== "").join("."),
    message: validationMessage(issue),
  }));
  throw new AppError("bad-request", { details });
}

/** Throws `bad-request` for a score that this server would not accept. */
export function checkScore(
  { value, string_value: word, message_id: _, ...score }: IncomingScore,
  path: string,
): void {
  // The reason of a rating is the only text that a boolean score has.
  const isRating = score.name === "feedback" && score.data_type === "boolean";
  if (isRating) validate(feedbackCreate, { type: value === 1 ? "positive" : "negative", reason: word }, path);
  validate(
    scoreCreate,
    {
      ...score,
      thread_id: "any",
      ...(value === null ? {} : { value }),
      ...(word === null || isRating ? {} : { string_value: word }),
    },
    path,
  );
}

/** Throws `import-too-new` for an export of a later version. */
export function checkVersion(version: number): void {
  if (version > exportVersion) throw new AppError("import-too-new");
}
