import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { sniffBytes, typeOfBytes } from "#server/files/uploads/sniff.ts";
import { objectOf, textOf } from "./fields.ts";
import { readJson, type Zip, type ZipEntry } from "../zip/zip.ts";

/** A file of another service's export. */
export type ExportFile = {
  /** Identifies the file in the export. */
  path: string;
  /** The name it had for its owner; `undefined`: the export does not have it. */
  name: string | undefined;
  sizeBytes: number;
  /** What the bytes are, as a file of this name. Throws `import-damaged` and `import-unsafe`. */
  describe(name: string): Promise<{ sha256: string; type: string }>;
  read(): AsyncIterable<Uint8Array>;
};

/** The files of another service's export. */
export type ExportFiles = {
  /** The file with this id in its name, or else the only file with this name. */
  find(id: string, name?: string): ExportFile | undefined;
  /** The files that `find` never returned: the first names, and their number. */
  unused(): { names: string[]; count: number };
};

/** The export is only a JSON file. */
export const noFiles: ExportFiles = { find: () => undefined, unused: () => ({ names: [], count: 0 }) };

/** Entries that are looked at before other work gets its turn: a few milliseconds. */
const entriesPerTurn = 500;
/** Names of unused files that are reported. */
const unusedMax = 100;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/**
 * The files of a zip. ChatGPT begins their names with the id (`file-Ab1-photo.png`, `file_00ff-sanitized.png`,
 * `file-Ab1.dat`); `originalNames` has the names of the `.dat` files. Elsewhere the name or its folder contains a UUID.
 * `entries` are those that are not read as lists of conversations.
 */
export async function createExportFiles(
  zip: Pick<Zip, "admit">,
  entries: readonly ZipEntry[],
  originalNames: ReadonlyMap<string, string>,
): Promise<ExportFiles> {
  const byId = new Map<string, ZipEntry>();
  const byName = new Map<string, ZipEntry | "ambiguous">();
  for (const [index, entry] of entries.entries()) {
    if (index % entriesPerTurn === 0) await setImmediate();
    const base = baseOf(entry.name);
    byName.set(base, byName.has(base) ? "ambiguous" : entry);
    for (const id of idsOf(entry.name)) if (!byId.has(id)) byId.set(id, entry);
  }
  const found = new Map<ZipEntry, ExportFile>();

  function fileOf(entry: ZipEntry): ExportFile {
    const file = found.get(entry) ?? zipFile(zip, entry, originalNames);
    found.set(entry, file);
    return file;
  }

  return {
    find(id, name = "") {
      const named = name === "" ? undefined : byName.get(name);
      const entry = byId.get(id.toLowerCase()) ?? (named === "ambiguous" ? undefined : named);
      return entry === undefined ? undefined : fileOf(entry);
    },
    unused() {
      const names: string[] = [];
      let count = 0;
      for (const entry of entries) {
        if (found.has(entry)) continue;
        if (++count <= unusedMax) names.push(entry.name);
      }
      return { names, count };
    },
  };
}

/** A file whose bytes are in the JSON. */
export function inlineFile(path: string, name: string | undefined, bytes: Buffer): ExportFile {
  const read = async function* () {
    yield await Promise.resolve(bytes);
  };
  return { path, name, sizeBytes: bytes.length, read, describe: describing(read) };
}

/** A file whose bytes are in the JSON, and which is the same wherever it is. */
export function bytesFile(bytes: Buffer, name: string | undefined): ExportFile {
  return inlineFile(`inline/${createHash("sha256").update(bytes).digest("hex")}`, name, bytes);
}

/** The bytes of a `data:` URL in Base64; `undefined` for any other URL. */
export function bytesOfDataUrl(url: string): Buffer | undefined {
  if (!url.startsWith("data:")) return undefined;
  const comma = url.indexOf(",");
  return url.slice(0, comma).endsWith(";base64") ? Buffer.from(url.slice(comma + 1), "base64") : undefined;
}

function zipFile(
  zip: Pick<Zip, "admit">,
  entry: ZipEntry,
  originalNames: ReadonlyMap<string, string>,
): ExportFile {
  return {
    path: entry.name,
    name: originalNameOf(entry.name, originalNames),
    sizeBytes: entry.sizeBytes,
    read: () => entry.read(),
    describe: describing(() => {
      zip.admit([entry]);
      return entry.read();
    }),
  };
}

/** Reads the bytes once, however often they are described. */
function describing(open: () => AsyncIterable<Uint8Array>): ExportFile["describe"] {
  let sum: Promise<{ sha256: string; head: Buffer }> | undefined;
  return async (name) => {
    const { sha256, head } = await (sum ??= sumOf(open));
    return { sha256, type: await typeOfBytes(head, name) };
  };
}

async function sumOf(open: () => AsyncIterable<Uint8Array>) {
  const hash = createHash("sha256");
  const head: Uint8Array[] = [];
  let headBytes = 0;
  for await (const chunk of open()) {
    hash.update(chunk);
    if (headBytes >= sniffBytes) continue;
    head.push(Buffer.from(chunk.subarray(0, sniffBytes)));
    headBytes += chunk.length;
  }
  return { sha256: hash.digest("hex"), head: Buffer.concat(head).subarray(0, sniffBytes) };
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The ids in a path, in lower case. */
function idsOf(path: string): string[] {
  const own = chatGptId(baseOf(path)) ?? uuid.exec(baseOf(path))?.[0];
  const folder = baseOf(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  const id = own ?? (uuid.test(folder) ? uuid.exec(folder)![0] : undefined);
  return id === undefined ? [] : [id.toLowerCase()];
}

function chatGptId(base: string): string | undefined {
  return /^file[-_][A-Za-z0-9]+/.exec(base)?.[0];
}

/** The name that the file had when it was uploaded. `undefined` for names that the service made up. */
function originalNameOf(path: string, originalNames: ReadonlyMap<string, string>): string | undefined {
  const base = baseOf(path);
  const known = originalNames.get(path) ?? originalNames.get(base);
  const id = chatGptId(base) ?? "";
  const name = known === undefined || known === "" ? base.slice(id.length).replace(/^-/, "") : baseOf(known);
  const isMadeUp = name === "" || /^(?:sanitized)?\.[^.]*$/.test(name) || uuid.test(name);
  return isMadeUp ? undefined : name;
}

/** ChatGPT's list of the names of its `.dat` files. Anything else is an empty list. */
export async function readOriginalNames(
  zip: Pick<Zip, "admit">,
  entry: ZipEntry | undefined,
): Promise<Map<string, string>> {
  const names = objectOf(await readJson(zip, entry, namesBytesMax));
  return new Map(Object.entries(names).map(([name, original]) => [name, textOf(original)]));
}

/** 100 bytes for each file of the largest zip. */
const namesBytesMax = 10 * 1024 * 1024;
