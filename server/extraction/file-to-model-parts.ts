import type { UnreadReason } from "#contract/unread-files.ts";
import { cutText } from "#contract/text.ts";
import type { ModelInput } from "#contract/models.ts";
import { labelWords } from "../parts/file-words.ts";
import type { ModelUserPart } from "../parts/model-message.ts";
import { kindOf, soundTypeOf } from "./kinds.ts";
import { bounds } from "./bounds.ts";
import { FaultError } from "./office/fault.ts";
import type { PagePictures } from "./pdf-reader.ts";
import type { Picture } from "./pictures/picture.ts";
import type { Room } from "./token-budget.ts";
import type { Source } from "./source.ts";
import type { FileText } from "./texts.ts";

/** Models take PDFs of a hundred pages at the most; of longer ones they are given the text. */
const filePagesMax = 100;

export type Given = { parts: ModelUserPart[]; reason?: UnreadReason };

/** The pages that are given as pictures, and what came between them and the others. */
type DrawnPages = { parts: ModelUserPart[]; numbers: Set<number>; failure?: FaultError };

/** What is made of files, by whoever can. */
export type Makers = {
  text(source: Source): Promise<FileText>;
  picture(source: Source): Promise<Picture>;
  /** The first pages of a PDF. */
  pages(source: Source): Promise<PagePictures>;
  bytes(source: Source): Promise<Uint8Array>;
};

/**
 * What a model is given of a file: the file itself where it reads its kind, else its text, else words that say why not.
 * Throws `FaultError` where it is given nothing.
 */
export async function give(
  source: Source,
  reads: readonly ModelInput[],
  room: Room,
  make: Makers,
): Promise<Given> {
  const kind = kindOf(source.type, source.name);
  switch (kind) {
    case "picture":
      return await givePicture();
    case "audio":
      return await giveSound();
    case "pdf":
      return await givePdf();
    case "text":
    case "office":
      return giveText(await make.text(source));
    case "locked":
      throw new FaultError("locked");
    case "none":
      throw new FaultError("kind");
  }

  async function givePicture(): Promise<Given> {
    if (!reads.includes("image")) throw new FaultError("model");
    // Before it is unfolded: this takes time.
    if (room.pictures() === 0) throw new FaultError("no-room");
    const picture = await make.picture(source);
    if (!room.take({ pictures: 1, mediaBytes: picture.bytes.length })) throw new FaultError("no-room");
    const { pages } = picture;
    const says = pages === undefined ? undefined : `the first of ${pages} pages`;
    return {
      parts: [...label("Picture", source.name, says), pictureOf(picture, source.name)],
      ...(pages === undefined ? {} : { reason: "partly" }),
    };
  }

  async function giveSound(): Promise<Given> {
    if (!reads.includes("audio")) throw new FaultError("model");
    const mediaType = soundTypeOf(source.type);
    if (mediaType === undefined) throw new FaultError("kind");
    if (source.sizeBytes > bounds.mediaBytes) throw new FaultError("too-large");
    if (!room.take({ mediaBytes: source.sizeBytes })) throw new FaultError("no-room");
    return {
      parts: [...label("Sound", source.name), fileOf(await make.bytes(source), mediaType, source.name)],
    };
  }

  async function givePdf(): Promise<Given> {
    // Also where it is given as it is: a provider refuses all of a request for one broken or locked file.
    const text = await make.text(source);
    const pages = text.pages ?? 0;
    if (reads.includes("pdf") && pages <= filePagesMax && room.take({ mediaBytes: source.sizeBytes }))
      return { parts: [fileOf(await make.bytes(source), "application/pdf", source.name || "file.pdf")] };
    const isText = text.text.trim() !== "";
    const drawn = await givePages(pages, isText);
    if (!isText && drawn.numbers.size === 0) throw drawn.failure ?? new FaultError("no-room");
    const given = isText ? giveText(text) : { parts: label("Document", source.name) };
    const reason = given.reason ?? reasonOfPages(text, drawn);
    return { parts: [...given.parts, ...drawn.parts], ...(reason === undefined ? {} : { reason }) };
  }

  /** What a person should know of pages that are pictures of text: nothing where the model sees them all. */
  function reasonOfPages({ text, pages = 0, isCut }: FileText, drawn: DrawnPages): UnreadReason | undefined {
    if (text.trim() === "") return drawn.numbers.size < pages ? "partly" : undefined;
    // An empty page at the end of what was cut off is none.
    const unseen = (isCut ? text.split("\f").slice(0, -1) : text.split("\f")).filter(
      (page, index) => page.trim() === "" && !drawn.numbers.has(index + 1),
    );
    if (unseen.length > 0) return "scanned";
    return drawn.failure !== undefined && reads.includes("image") ? "partly" : undefined;
  }

  /** A text is worth having without its pages; where there is none, as many pages as there is room for. */
  async function givePages(pages: number, isText: boolean): Promise<DrawnPages> {
    const given: DrawnPages = { parts: [], numbers: new Set() };
    if (!reads.includes("image")) return { ...given, failure: new FaultError("no-text") };
    if (room.pictures() === 0 || (isText && Math.min(pages, bounds.drawnPages) > room.pictures()))
      return given;
    const drawn = await make.pages(source).catch((failure: unknown) => {
      if (!(failure instanceof FaultError)) throw failure;
      return { pages: [], failure };
    });
    for (const { number, picture } of drawn.pages) {
      if (!room.take({ pictures: 1, mediaBytes: picture.bytes.length })) break;
      const name = `${source.name}, page ${number}`;
      given.parts.push(...label("Picture", name), pictureOf(picture, name));
      given.numbers.add(number);
    }
    return { ...given, ...(drawn.failure === undefined ? {} : { failure: drawn.failure }) };
  }

  function giveText({ text, isCut, pages }: FileText): Given {
    const characters = room.takeCharacters(text.length);
    if (characters === 0 && text.length > 0) throw new FaultError("no-room");
    const isPart = isCut || characters < text.length;
    const document: ModelUserPart = {
      type: "document",
      name: source.name,
      mediaType: source.type,
      sizeBytes: source.sizeBytes,
      text: cutText(text, characters),
      ...(pages === undefined ? {} : { pages }),
      ...(isPart ? { isCut: true } : {}),
    };
    return { parts: [document], ...(isPart ? { reason: "partly" } : {}) };
  }
}

function label(what: string, name: string, says?: string): ModelUserPart[] {
  return name === "" && says === undefined ? [] : [{ type: "text", text: labelWords(what, name, says) }];
}

function pictureOf({ mediaType, bytes }: Picture, name: string): ModelUserPart {
  return fileOf(bytes, mediaType, name);
}

function fileOf(bytes: Uint8Array, mediaType: string, name: string): ModelUserPart {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { type: "file", data, mediaType, ...(name === "" ? {} : { filename: name }) };
}
