import type { MissingFile, SkippedContent } from "#contract/endpoints/imports.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { cutText } from "#contract/text.ts";
import { AppError } from "#server/lib/errors.ts";
import { firstWords } from "#server/threads/first-words.ts";
import { derivedId } from "../derived-id.ts";
import { missingFile } from "../missing-file.ts";
import type { IncomingFile, IncomingThread, SourceMessage, ThreadSource } from "../thread-source.ts";
import { documentText, newBudget, spend } from "./documents.ts";
import type { ExportFile } from "./files-of-export.ts";
import { toIncoming, type FilePlace, type ConvertedMessage } from "./converted-messages.ts";
import { words } from "./import-words.ts";

/** A conversation of another service, in our terms. */
export type Conversation = {
  messages: ConvertedMessage[];
  thread: IncomingThread;
  skipped: SkippedContent[];
};

type Settled = Omit<Conversation, "messages"> & { messages: SourceMessage[] };

/** A thread source from a conversation. It is converted once, at the first reading. */
export function conversationSource(convert: () => Conversation): ThreadSource {
  const files = new Map<string, { file: ExportFile; described: IncomingFile }>();
  let settled: Promise<Settled> | undefined;

  async function settle(): Promise<Settled> {
    const { messages: converted, thread, skipped } = convert();
    const budget = newBudget();
    const messages: Settled["messages"] = [];
    for (const message of converted) {
      const parts: Part[] = [];
      const lost: MissingFile[] = [];
      const placeholders: string[] = [];
      for (const part of message.parts) {
        if (part.type === "file-place") {
          const settledPart = await settleFile(part, lost);
          if (settledPart.type !== "text") placeholders[parts.length] = placeholderOf(part);
          parts.push(settledPart);
        } else if (part.type !== "document") parts.push(part);
        else if (spend(budget, part.document.content.length)) parts.push(documentText(part.document));
        else {
          parts.push({ type: "text", text: words.missingFile(part.document.title) });
          lost.push(missingFile(part.document.title, new AppError("too-large")));
        }
      }
      messages.push({ ...toIncoming({ ...message, parts }), lost, placeholders });
    }
    return {
      messages,
      skipped,
      thread: {
        ...thread,
        thread: withTitle(thread.thread, converted),
        files: [...files.values()].map((each) => each.described),
      },
    };
  }

  /** The part for a file; a text if the export does not have it. */
  async function settleFile(place: FilePlace, lost: MissingFile[]): Promise<Part> {
    const { file } = place;
    const known = cutText(place.name ?? file?.name ?? "", limits.nameCharacters);
    const missing = (error: AppError): Part => {
      lost.push(missingFile(known || fallbackName(place), error));
      return { type: "text", text: placeholderOf(place) };
    };
    if (file === undefined) return missing(new AppError("file-not-carried"));
    if (files.size >= limits.importFilesMax) return missing(new AppError("file-too-large"));
    try {
      const { sha256, type } = await file.describe(known);
      const name =
        known || (type.startsWith("image/") ? words.image : words.file) + extensionOf(type, file.path);
      const id = idOf(file.path);
      const described = { id, name, size_bytes: file.sizeBytes, sha256, path: file.path };
      if (!files.has(id)) files.set(id, { file, described });
      const url = `/v1/files/${id}/content`;
      return /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type)
        ? { type: "image", image: url, filename: name }
        : { type: "file", data: url, mimeType: type, filename: name };
    } catch (error) {
      if (error instanceof AppError) return missing(error);
      throw error;
    }
  }

  return {
    async *read() {
      const { messages, thread } = await (settled ??= settle());
      yield* messages;
      return thread;
    },
    bytesOf: (path) => files.get(idOf(path))?.file.read(),
    skipped: async () => (await (settled ??= settle())).skipped,
  };
}

/** The thread's title, or else the first words of its first question. */
function withTitle(
  thread: IncomingThread["thread"],
  messages: readonly ConvertedMessage[],
): IncomingThread["thread"] {
  if (thread.title != null) return thread;
  const question = messages.find(({ role }) => role === "user");
  const text = question?.parts.find((part) => part.type === "text")?.text ?? "";
  const title = firstWords(text);
  return title === "" ? thread : { ...thread, title, title_source: "fallback" };
}

/** The text that replaces a file. It is the same whether or not the export has the file. */
function placeholderOf(place: FilePlace): string {
  const name = cutText(place.name ?? "", limits.nameCharacters) || fallbackName(place);
  return place.otherwise ?? words.missingFile(name);
}

function fallbackName({ isImage }: FilePlace): string {
  return isImage ? words.image : words.file;
}

/** The id in the converted messages, which the import replaces. */
function idOf(path: string): string {
  return derivedId("file", path, "", 0);
}

const extensions: Record<string, string> = {
  "image/jpeg": ".jpg",
  "image/svg+xml": ".svg",
  "audio/mpeg": ".mp3",
  "audio/wav": ".wav",
  "audio/vnd.wave": ".wav",
  "audio/x-m4a": ".m4a",
  "audio/mp4": ".m4a",
  "text/plain": ".txt",
};

/** The extension of a file without a name. */
function extensionOf(type: string, path: string): string {
  const known = extensions[type];
  if (known !== undefined) return known;
  if (/^(?:image|video)\/[a-z0-9]+$/.test(type) || type === "application/pdf")
    return `.${type.slice(type.indexOf("/") + 1)}`;
  const fromPath = /\.[a-z0-9]{1,5}$/i.exec(path)?.[0].toLowerCase() ?? "";
  return fromPath === ".dat" ? "" : fromPath;
}
