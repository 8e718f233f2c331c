import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { connectToParent } from "../../child-process/parent.ts";
import type { OcrOutcome, OcrTask } from "./ocr.ts";

/** The child process that recognizes text, one picture at a time. It may read only its own code and the extra. */

/** What we use of Tesseract. */
type Tesseract = {
  FS: { writeFile(path: string, bytes: Uint8Array): void };
  TessBaseAPI: new () => {
    Init(folder: null, languages: string, mode: number): number;
    SetImageFile(exifOrientation: number, angle: number): number;
    Recognize(monitor: null): number;
    GetUTF8Text(): string;
    MeanTextConf(): number;
    Clear(): void;
  };
};
type Api = InstanceType<Tesseract["TessBaseAPI"]>;

/** The neural network alone; the data has nothing else. */
const lstmOnly = 1;
/** In percent. Print has more than 80; what it sees in photographs without text has less than 50. */
const confidenceMin = 50;
/** 10: work that a person waits for comes first. */
setPriority(10);

let loaded: { key: string; api: Promise<{ tesseract: Tesseract; api: Api }> } | undefined;

const parent = connectToParent<OcrTask, OcrOutcome>(
  (task) => void outcomeOf(task).then(async (outcome) => await parent.finish(outcome, "failure" in outcome)),
);
await parent.ready();

async function outcomeOf(task: OcrTask): Promise<OcrOutcome> {
  try {
    const key = JSON.stringify([task.folder, task.hashes]);
    if (loaded?.key !== key) loaded = { key, api: load(task) };
    const { tesseract, api } = await loaded.api;
    tesseract.FS.writeFile("/input", task.picture);
    const isUnreadable = api.SetImageFile(1, 0) !== 0 || api.Recognize(null) !== 0;
    const text = isUnreadable || api.MeanTextConf() < confidenceMin ? "" : api.GetUTF8Text();
    api.Clear();
    return { text };
  } catch (error) {
    return { failure: String(error).slice(0, 500) };
  }
}

async function load({ folder, languages, hashes }: OcrTask): Promise<{ tesseract: Tesseract; api: Api }> {
  const files = new Map<string, Buffer>();
  for (const [name, sha256] of Object.entries(hashes)) {
    const bytes = await readFile(join(folder, name));
    if (createHash("sha256").update(bytes).digest("hex") !== sha256)
      throw new Error(`${join(folder, name)} is not the file that was added`);
    files.set(name, bytes);
  }
  const create = createRequire(import.meta.url)(join(folder, "core.cjs")) as (options: {
    wasmBinary: Buffer;
  }) => Promise<Tesseract>;
  const tesseract = await create({ wasmBinary: files.get("core.wasm")! });
  for (const tag of languages)
    tesseract.FS.writeFile(`${tag}.traineddata`, gunzipSync(files.get(`${tag}.traineddata.gz`)!));
  const api = new tesseract.TessBaseAPI();
  if (api.Init(null, languages.join("+"), lstmOnly) !== 0) throw new Error("Tesseract cannot start");
  return { tesseract, api };
}
