import { exportedPrompts, serverExportFormat, serverExportManifest } from "#contract/endpoints/exports.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import { partOf, type Upload } from "../upload.ts";
import { objectOf } from "../other-services/fields.ts";
import { readParlanceZip } from "../parlance-export.ts";
import { checkVersion, validate } from "../thread-source.ts";
import { openZip, readJson, type Zip } from "../zip/zip.ts";
import type { DatabaseReader } from "./detect-server.ts";
import type { ServerExport } from "./server-export.ts";

/** The names of 100,000 people. */
const manifestBytesMax = 64 * 1024 * 1024;

/**
 * The people of an export of everyone of another Parlance; `undefined` for any other zip. It is a zip with a zip for each
 * person, which is not compressed again, so that it is read where it is. Guests and the workspaces of backends have no
 * address that they could prove, so only the operator can import theirs. Throws `import-too-new`, `import-damaged`, and
 * `bad-request` for a wrong field.
 */
export async function readParlanceServer(
  upload: Upload,
  { entries, admit }: Zip,
  { openSpool, unpackedBytesMax }: DatabaseReader,
): Promise<ServerExport | undefined> {
  const manifestEntry = entries.find(({ name }) => name === "manifest.json");
  const manifest = objectOf(await readJson({ admit }, manifestEntry, manifestBytesMax));
  if (manifest.format !== serverExportFormat) return undefined;
  checkVersion(Number(manifest.version));
  const { exports } = validate(serverExportManifest, manifest, "manifest");
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const spool = await openSpool();

  async function open(file: string) {
    const place = await byName.get(file)?.locate();
    if (place === undefined) throw new AppError("import-damaged");
    const zip = await openZip(partOf(upload, place), {
      entries: limits.importZipFilesMax,
      unpackedBytes: unpackedBytesMax,
    });
    const found = await readParlanceZip(zip);
    if (found === undefined) throw new AppError("import-damaged");
    return found;
  }

  const people: ServerExport["people"][number][] = [];
  const fileOf = new Map<string, string>();
  for (const { file, user_id: key, name, email } of exports) {
    if (key === null || email === null || fileOf.has(key)) continue;
    const entry = byName.get(file);
    if (entry === undefined) throw new AppError("import-damaged");
    // So that none overlaps another.
    admit([entry]);
    fileOf.set(key, file);
    const { count, prompts = [] } = await open(file);
    people.push({ key, name: name ?? "", email, threads: count ?? 0 });
    for (const prompt of prompts) spool.put("prompts", key, 0, prompt);
  }
  const others = exports.length - people.length;
  return {
    kind: "parlance",
    people,
    groups: [],
    assistants: [],
    async *threadsOf(key) {
      const file = fileOf.get(key);
      if (file !== undefined) yield* (await open(file)).threads;
    },
    promptsOf: (key) => validate(exportedPrompts.shape.prompts, [...spool.values("prompts", key)], "prompts"),
    skipped:
      others === 0 ? [] : [{ reason: "not-yet", name: "exports of guests and backends", count: others }],
  };
}
