import { inlineFile, type ExportFiles } from "../other-services/files-of-export.ts";
import { listOf, objectOf, textOf } from "../other-services/fields.ts";
import type { FilePlace } from "../other-services/converted-messages.ts";

type Fields = Record<string, unknown>;

/** The files of a node, and where its content references them. Each file is placed once. */
export type Assets = {
  /** The files that a part of the content points to. */
  ofPart(part: Fields): FilePlace[];
  /** The images of a code run. */
  ofRun(): FilePlace[];
  /** The attachments that no part pointed to. */
  rest(): FilePlace[];
  /** A file that a text references by its id. */
  named(id: string): FilePlace | undefined;
};

export function assetsOf(id: string, metadata: Fields, files: ExportFiles): Assets {
  const attachments = listOf(metadata.attachments).map(objectOf);
  const names = new Map(attachments.map((each) => [textOf(each.id), textOf(each.name)]));
  for (const list of Object.values(metadata))
    for (const { file_id: fileId, file_name: name } of listOf(list).map(objectOf))
      if (typeof fileId === "string" && typeof name === "string") names.set(fileId, name);
  const placed = new Set<string>();

  function place(fileId: string, isImage: boolean): FilePlace[] {
    if (fileId === "" || placed.has(fileId)) return [];
    placed.add(fileId);
    const name = names.get(fileId) || undefined;
    return [{ type: "file-place", file: files.find(fileId, name), name, isImage }];
  }

  return {
    ofPart: (part) =>
      pointersOf(part).flatMap((pointer) =>
        place(idOf(pointer), part.content_type === "image_asset_pointer"),
      ),
    ofRun() {
      const run = objectOf(metadata.aggregate_result);
      const shown = listOf(run.messages).flatMap((each) =>
        place(idOf(textOf(objectOf(each).image_url)), true),
      );
      if (shown.length > 0) return shown;
      return listOf(run.jupyter_messages).flatMap((each, index) => {
        const data = objectOf(objectOf(objectOf(each).content).data);
        const [image] = Object.entries(data).flatMap(([type, value]) =>
          type.startsWith("image/") && typeof value === "string" && type !== "image/svg+xml" ? [value] : [],
        );
        if (image === undefined) return [];
        if (/^[a-z-]+:\/\//.test(image)) return place(idOf(image), true);
        const file = inlineFile(`${id}/${index}`, undefined, Buffer.from(image, "base64"));
        return [{ type: "file-place" as const, file, name: undefined, isImage: true }];
      });
    },
    rest: () =>
      attachments.flatMap((each) => {
        const isImage = (textOf(each.mime_type) || textOf(each.mimeType)).startsWith("image/");
        const fileId = textOf(each.id);
        if (fileId !== "") return place(fileId, isImage);
        const name = textOf(each.name) || undefined;
        return [{ type: "file-place" as const, file: files.find("", name), name, isImage }];
      }),
    named: (fileId) => place(fileId, false)[0],
  };
}

/** `file-service://file-Ab1`, `sediment://file_00ff`, or only the id. */
function idOf(pointer: string): string {
  const name = pointer.replace(/^[a-z-]+:\/\//, "");
  return /file[-_][A-Za-z0-9]+/.exec(name)?.[0] ?? name;
}

function pointersOf(part: Fields): string[] {
  const { audio_asset_pointer: audio, video_container_asset_pointer: video, screenshot } = part;
  const pointers = [part, audio, video, screenshot].map((each) => textOf(objectOf(each).asset_pointer));
  // A video contains its frames.
  const frames =
    video == null
      ? listOf(part.frames_asset_pointers).map((each) => textOf(objectOf(each).asset_pointer))
      : [];
  const found = [...pointers, ...frames].filter((pointer) => pointer !== "");
  return found.length === 0 && /^(?:image|audio)_asset_pointer$/.test(textOf(part.content_type))
    ? ["unknown"]
    : found;
}
