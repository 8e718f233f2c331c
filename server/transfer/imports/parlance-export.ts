import { exportFormat, exportManifest, threadFormat } from "#contract/endpoints/exports.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import { streamJson } from "./stream-json.ts";
import {
  validate,
  checkScore,
  checkVersion,
  incomingMessage,
  incomingThread,
  type ThreadSource,
} from "./thread-source.ts";

/** JSON escapes may take six characters for each character of 8 MiB of content. */
const itemBytesMax = 8 * limits.messageContentBytes;

/** Unknown members are ignored and not kept in memory. */
const known = new Set(Object.keys(incomingThread.shape));

/** A thread in our own export format, read message by message. */
export function parlanceThread(
  read: () => AsyncIterable<Uint8Array>,
  bytesOf: (path: string) => AsyncIterable<Uint8Array> | undefined = () => undefined,
): ThreadSource {
  return {
    bytesOf,
    async *read() {
      const members: Record<string, unknown> = {};
      let count = 0;
      for await (const item of streamJson(read(), { lists: ["messages"], itemBytesMax })) {
        if ("element" in item) {
          yield validate(incomingMessage, item.element, `messages.${count}`);
          count++;
        } else if (known.has(item.key)) {
          members[item.key] = item.value;
          if (item.key === "version") checkVersion(Number(item.value));
        }
      }
      const thread = validate(incomingThread, members, "");
      for (const [index, score] of thread.scores.entries()) checkScore(score, `scores.${index}`);
      return thread;
    },
  };
}

/** Whether a member of a JSON object shows that it is one of our threads. */
export function isParlanceThread(key: string, value: unknown): boolean {
  return key === "format" && value === threadFormat;
}

/** Throws `import-too-new` for an export of a later version, and `import-unknown` for the manifest of something else. */
export function checkManifest(manifest: unknown): void {
  const { format, version } = (manifest ?? {}) as { format?: unknown; version?: unknown };
  if (format !== exportFormat) throw new AppError("import-unknown");
  checkVersion(Number(version));
  validate(exportManifest, manifest, "manifest");
}
