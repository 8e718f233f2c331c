import { exportFormat, exportManifest, threadFormat } from "#contract/endpoints/exports.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import { jsonPieces } from "./json-pieces.ts";
import {
  checked,
  checkScore,
  checkVersion,
  incomingMessage,
  incomingThread,
  type ThreadSource,
} from "./thread-source.ts";

/** Content of 8 MiB can be written with six characters for each of its own. */
const pieceBytesMax = 8 * limits.messageContentBytes;

/** What else stands there is passed over, and not held. */
const known = new Set(Object.keys(incomingThread.shape));

/** A thread as we write it out ourselves, read message by message. */
export function ownThread(
  read: () => AsyncIterable<Uint8Array>,
  bytesOf: (path: string) => AsyncIterable<Uint8Array> | undefined = () => undefined,
): ThreadSource {
  return {
    bytesOf,
    async *read() {
      const members: Record<string, unknown> = {};
      let count = 0;
      for await (const piece of jsonPieces(read(), { list: "messages", pieceBytesMax })) {
        if ("element" in piece) {
          yield checked(incomingMessage, piece.element, `messages.${count}`);
          count++;
        } else if (known.has(piece.key)) {
          members[piece.key] = piece.value;
          if (piece.key === "version") checkVersion(Number(piece.value));
        }
      }
      const thread = checked(incomingThread, members, "");
      for (const [index, score] of thread.scores.entries()) checkScore(score, `scores.${index}`);
      return thread;
    },
  };
}

/** Whether the head of a JSON object says that it is one of our threads. */
export function isOwnThread(key: string, value: unknown): boolean {
  return key === "format" && value === threadFormat;
}

/** Throws `import-too-new` for an export of a later version, and `import-unknown` for the manifest of something else. */
export function checkManifest(manifest: unknown): void {
  const { format, version } = (manifest ?? {}) as { format?: unknown; version?: unknown };
  if (format !== exportFormat) throw new AppError("import-unknown");
  checkVersion(Number(version));
  checked(exportManifest, manifest, "manifest");
}
