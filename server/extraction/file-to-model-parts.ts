import type { UnreadReason } from "#contract/parts/unread-files.ts";
import { cutText } from "#contract/text.ts";
import type { ModelInput } from "#contract/endpoints/models.ts";
import { fileLabel } from "../parts/file-prompts.ts";
import type { ModelUserPart } from "../parts/model-message.ts";
import { kindOf, soundTypeOf } from "./file-kind.ts";
import { ExtractionError } from "./extraction-error.ts";
import type { FileBudget } from "./file-budget.ts";
import { extractionLimits } from "./limits.ts";
import type { RenderedPages } from "./pdf-reader.ts";
import type { Picture } from "./pictures/picture.ts";
import type { FileSource } from "./file-source.ts";
import type { FileText } from "./texts.ts";

/** Providers accept PDFs of at most 100 pages. Of longer ones the text is sent. */
const pdfPagesMax = 100;

/** `reason`: why the file is missing or incomplete, for the person. */
export type FileParts = { parts: ModelUserPart[]; reason?: UnreadReason };

/** The pages that are sent as pictures. */
type PageParts = { parts: ModelUserPart[]; numbers: Set<number>; failure?: ExtractionError };

export type Extractors = {
  text(source: FileSource): Promise<FileText>;
  /** The text of a picture, or of a PDF with that of scanned pages, as far as it can be recognized. */
  recognized(source: FileSource): Promise<FileText | undefined>;
  picture(source: FileSource): Promise<Picture>;
  /** The first pages of a PDF. */
  pages(source: FileSource): Promise<RenderedPages>;
  bytes(source: FileSource): Promise<Uint8Array>;
};

/** A file for a model that accepts `inputs`. What is sent is taken from the budget of the request to the model. */
type PartsRequest = {
  source: FileSource;
  inputs: readonly ModelInput[];
  budget: FileBudget;
  extract: Extractors;
};

/**
 * The parts that a model gets for a file: the file itself if the model accepts its kind, otherwise its text. Throws
 * `ExtractionError` if there is neither, or no budget left.
 */
export async function fileToModelParts(request: PartsRequest): Promise<FileParts> {
  const { source, extract } = request;
  switch (kindOf(source.type, source.name)) {
    case "picture":
      return await pictureParts(request);
    case "audio":
      return await soundParts(request);
    case "pdf":
      return await pdfParts(request);
    case "text":
    case "office":
      return textParts(request, await extract.text(source));
    case "locked":
      throw new ExtractionError("locked");
    case "none":
      throw new ExtractionError("kind");
  }
}

async function pictureParts(request: PartsRequest): Promise<FileParts> {
  const { source, inputs, budget, extract } = request;
  if (!inputs.includes("image")) {
    const recognized = await extract.recognized(source);
    if (recognized === undefined || recognized.text === "") throw new ExtractionError("model");
    return { reason: "recognized", ...textParts(request, recognized) };
  }
  // Decoding takes time, so the budget is checked first.
  if (budget.picturesLeft() === 0) throw new ExtractionError("no-room");
  const picture = await extract.picture(source);
  if (!budget.take({ pictures: 1, mediaBytes: picture.bytes.length })) throw new ExtractionError("no-room");
  const { pages } = picture;
  const note = pages === undefined ? undefined : `the first of ${pages} pages`;
  return {
    parts: [...label("Picture", source.name, note), pictureOf(picture, source.name)],
    ...(pages === undefined ? {} : { reason: "partly" }),
  };
}

async function soundParts({ source, inputs, budget, extract }: PartsRequest): Promise<FileParts> {
  if (!inputs.includes("audio")) throw new ExtractionError("model");
  const mediaType = soundTypeOf(source.type);
  if (mediaType === undefined) throw new ExtractionError("kind");
  if (source.sizeBytes > extractionLimits.mediaBytesMax) throw new ExtractionError("too-large");
  if (!budget.take({ mediaBytes: source.sizeBytes })) throw new ExtractionError("no-room");
  return {
    parts: [...label("Sound", source.name), fileOf(await extract.bytes(source), mediaType, source.name)],
  };
}

async function pdfParts(request: PartsRequest): Promise<FileParts> {
  const { source, inputs, budget, extract } = request;
  // Always extracted: a provider refuses a whole request for one damaged or locked file.
  const extracted = await extract.text(source);
  const pages = extracted.pages ?? 0;
  if (inputs.includes("pdf") && pages <= pdfPagesMax && budget.take({ mediaBytes: source.sizeBytes }))
    return { parts: [fileOf(await extract.bytes(source), "application/pdf", source.name || "file.pdf")] };
  const text = inputs.includes("image") ? extracted : ((await extract.recognized(source)) ?? extracted);
  const isText = text.text.trim() !== "";
  const rendered = await pageParts(request, pages, isText);
  if (!isText && rendered.numbers.size === 0) throw rendered.failure ?? new ExtractionError("no-room");
  const document = isText ? textParts(request, text) : { parts: label("Document", source.name) };
  const isRecognized = (text.recognized?.pages ?? 0) > 0 && !inputs.includes("image");
  const reason =
    document.reason ?? reasonOfPages(request, text, rendered) ?? (isRecognized ? "recognized" : undefined);
  return { parts: [...document.parts, ...rendered.parts], ...(reason === undefined ? {} : { reason }) };
}

/** Tells the person about scanned pages that the model does not see. */
function reasonOfPages(
  { inputs }: PartsRequest,
  { text, pages = 0, isCut }: FileText,
  rendered: PageParts,
): UnreadReason | undefined {
  if (text.trim() === "") return rendered.numbers.size < pages ? "partly" : undefined;
  // The last page of a cut text is incomplete.
  const unseen = (isCut ? text.split("\f").slice(0, -1) : text.split("\f")).filter(
    (page, index) => page.trim() === "" && !rendered.numbers.has(index + 1),
  );
  if (unseen.length > 0) return "scanned";
  return rendered.failure !== undefined && inputs.includes("image") ? "partly" : undefined;
}

/** With text, the pages are sent only if all fit. Without text, as many as fit. */
async function pageParts(
  { source, inputs, budget, extract }: PartsRequest,
  pages: number,
  isText: boolean,
): Promise<PageParts> {
  const result: PageParts = { parts: [], numbers: new Set() };
  if (!inputs.includes("image")) return { ...result, failure: new ExtractionError("no-text") };
  if (
    budget.picturesLeft() === 0 ||
    (isText && Math.min(pages, extractionLimits.renderedPagesMax) > budget.picturesLeft())
  )
    return result;
  const rendered = await extract.pages(source).catch((failure: unknown) => {
    if (!(failure instanceof ExtractionError)) throw failure;
    return { pages: [], failure };
  });
  for (const { number, picture } of rendered.pages) {
    if (!budget.take({ pictures: 1, mediaBytes: picture.bytes.length })) break;
    const name = `${source.name}, page ${number}`;
    const parts = [...label("Picture", name), pictureOf(picture, name)];
    result.parts.push(...parts.map((part) => ({ ...part, file: { page: number } })));
    result.numbers.add(number);
  }
  return { ...result, ...(rendered.failure === undefined ? {} : { failure: rendered.failure }) };
}

function textParts(
  { source, budget }: PartsRequest,
  { text, isCut, pages, recognized }: FileText,
): FileParts {
  const characters = budget.takeCharacters(text.length);
  if (characters === 0 && text.length > 0) throw new ExtractionError("no-room");
  const isPart = isCut || characters < text.length;
  const document: ModelUserPart = {
    type: "document",
    name: source.name,
    mediaType: source.type,
    sizeBytes: source.sizeBytes,
    text: cutText(text, characters),
    ...(pages === undefined ? {} : { pages }),
    ...(isPart ? { isCut: true } : {}),
    ...(recognized === undefined || recognized.pages === 0 ? {} : { recognizedPages: recognized.pages }),
  };
  return { parts: [document], ...(isPart ? { reason: "partly" } : {}) };
}

function label(what: string, name: string, note?: string): ModelUserPart[] {
  return name === "" && note === undefined ? [] : [{ type: "text", text: fileLabel(what, name, note) }];
}

function pictureOf({ mediaType, bytes }: Picture, name: string): ModelUserPart {
  return fileOf(bytes, mediaType, name);
}

function fileOf(bytes: Uint8Array, mediaType: string, name: string): ModelUserPart {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { type: "file", data, mediaType, ...(name === "" ? {} : { filename: name }) };
}
