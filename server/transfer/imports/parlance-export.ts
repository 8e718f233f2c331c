import {
  exportedPrompts,
  exportFormat,
  exportManifest,
  promptsFormat,
  threadFormat,
} from "#contract/endpoints/exports.ts";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import { limits } from "#contract/limits.ts";
import type { DetectedImport } from "./importer.ts";
import type { Candidate } from "./thread-source.ts";
import { noFiles } from "./other-services/files-of-export.ts";
import { objectOf } from "./other-services/fields.ts";
import { streamJson } from "./stream-json.ts";
import {
  validate,
  checkScore,
  checkVersion,
  incomingMessage,
  incomingThread,
  type ThreadSource,
} from "./thread-source.ts";
import { readJson, type Zip, type ZipEntry } from "./zip/zip.ts";

/** JSON escapes may take six characters for each character of 8 MiB of content. */
const itemBytesMax = 8 * limits.messageContentBytes;

const manifestBytesMax = 1024 * 1024;
/** More than a person's and the shared prompts, with escapes of six characters. */
const promptsBytesMax = 3 * limits.promptsMax * 6 * limits.promptCharacters;

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

/**
 * The threads of a zip that this service exported; `undefined` for any other zip. Throws `import-too-new` for an export of
 * a later version.
 */
export async function readParlanceZip(zip: Zip): Promise<DetectedImport | undefined> {
  const { entries } = zip;
  const manifestEntry = entries.find(({ name }) => name === "manifest.json");
  const manifest = objectOf(await readJson(zip, manifestEntry, manifestBytesMax));
  // Another service may have a file of this name.
  if (manifest.format !== exportFormat) return undefined;
  checkVersion(Number(manifest.version));
  validate(exportManifest, manifest, "manifest");
  const threads = entries.filter(({ name }) => isThread(name));
  const prompts = await readPrompts(zip);
  zip.admit([...threads, ...entries.filter(({ name }) => isFile(name))]);
  return {
    kind: "parlance",
    count: threads.length,
    threads: threadsOf(threads, bytesOnce(entries)),
    prompts,
    unused: noFiles.unused,
  };
}

/** None if the file is missing or none of ours. Throws `bad-request` for a wrong field. */
async function readPrompts({ entries, admit }: Zip): Promise<readonly Prompt[]> {
  const entry = entries.find(({ name }) => name === "prompts.json");
  const file = objectOf(await readJson({ admit }, entry, promptsBytesMax));
  if (file.format !== promptsFormat) return [];
  checkVersion(Number(file.version));
  return validate(exportedPrompts, file, "prompts").prompts;
}

async function* threadsOf(
  entries: ZipEntry[],
  bytesOf: (path: string) => AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<Candidate> {
  for (const entry of entries) {
    const source = parlanceThread(() => entry.read(), bytesOf);
    yield await Promise.resolve({ title: titleOfFile(entry.name), source });
  }
}

/** The bytes of files by path. Each can be read once, so that a small zip cannot cause unlimited work. */
function bytesOnce(entries: ZipEntry[]): (path: string) => AsyncIterable<Uint8Array> | undefined {
  const unread = new Map(entries.filter(({ name }) => isFile(name)).map((entry) => [entry.name, entry]));
  return (path) => {
    const entry = unread.get(path);
    unread.delete(path);
    return entry?.read();
  };
}

const isThread = (name: string): boolean => /^threads\/[^/]+\.json$/.test(name);
const isFile = (name: string): boolean => /^files\/[^/]+$/.test(name);

/** The name in the import report, until the title is known. */
function titleOfFile(name: string): string {
  return name.replace(/^threads\//, "");
}
