import type { UnreadReason } from "#contract/unread-files.ts";
import { cutText } from "#contract/text.ts";
import type { ModelInput } from "#contract/models.ts";
import { labelWords } from "../parts/file-words.ts";
import type { ModelUserPart } from "../parts/model-message.ts";
import { kindOf, soundTypeOf } from "./kinds.ts";
import { bounds } from "./bounds.ts";
import { FaultError } from "./office/fault.ts";
import type { Picture } from "./pictures/pictures.ts";
import type { Room } from "./room.ts";
import type { Source } from "./source.ts";
import type { FileText } from "./texts.ts";

/** Models take PDFs of a hundred pages at the most; of longer ones they are given the text. */
const filePagesMax = 100;

export type Given = { parts: ModelUserPart[]; reason?: UnreadReason };

/** What is made of files, by whoever can. */
export type Makers = {
  text(source: Source): Promise<FileText>;
  picture(source: Source): Promise<Picture>;
  /** The first pages of a PDF. */
  pages(source: Source): Promise<Picture[]>;
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
    return { parts: [...label("Picture", source.name), pictureOf(picture, source.name)] };
  }

  async function giveSound(): Promise<Given> {
    if (!reads.includes("audio")) throw new FaultError("model");
    const mediaType = soundTypeOf(source.type);
    if (mediaType === undefined) throw new FaultError("kind");
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
    const drawn = reads.includes("image") ? await givePages(pages) : [];
    if (text.text.trim() !== "") {
      const given = giveText(text);
      return { ...given, parts: [...given.parts, ...drawn] };
    }
    if (drawn.length === 0) throw new FaultError(reads.includes("image") ? "no-room" : "no-text");
    return {
      parts: [...label("Document", source.name), ...drawn],
      ...(drawn.length / 2 < pages ? { reason: "partly" } : {}),
    };
  }

  async function givePages(pages: number): Promise<ModelUserPart[]> {
    if (Math.min(pages, bounds.drawnPages) > room.pictures()) return [];
    const given: ModelUserPart[] = [];
    for (const [index, page] of (await make.pages(source)).entries()) {
      if (!room.take({ pictures: 1, mediaBytes: page.bytes.length })) break;
      const name = `${source.name}, page ${index + 1}`;
      given.push(...label("Picture", name), pictureOf(page, name));
    }
    return given;
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

function label(what: string, name: string): ModelUserPart[] {
  return name === "" ? [] : [{ type: "text", text: labelWords(what, name) }];
}

function pictureOf({ mediaType, bytes }: Picture, name: string): ModelUserPart {
  return fileOf(bytes, mediaType, name);
}

function fileOf(bytes: Uint8Array, mediaType: string, name: string): ModelUserPart {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { type: "file", data, mediaType, ...(name === "" ? {} : { filename: name }) };
}
