import { textNames } from "#server/files/uploads/text-names.ts";
import { inlineFile, type ExportFiles } from "./files-of-export.ts";
import { textOf } from "./fields.ts";
import type { FilePlace } from "./converted-messages.ts";
import { words } from "./import-words.ts";

/** An attachment of which the export has the text: a text file. */
export function attachment(file: Record<string, unknown>, path: string, files: ExportFiles): FilePlace {
  const given = textOf(file.file_name);
  const text = textOf(file.extracted_content);
  const original = files.find(textOf(file.id), given);
  if (text === "" || original !== undefined)
    return { type: "file-place", file: original, name: given || undefined, isImage: false };
  const name = given === "" ? words.pastedText : textNames.test(given) ? given : `${given}.txt`;
  return {
    type: "file-place",
    file: inlineFile(path, name, Buffer.from(text)),
    name,
    isImage: false,
    otherwise: `${given || words.file}:\n\n${text}`,
  };
}
