import { fileKind } from "../file-kind.ts";

/** How a file is shown: `extracted`: by the text that the server extracts from it. */
export type FileForm = "pages" | "audio" | "video" | "text" | "extracted";

export function fileForm(name: string, type: string): FileForm {
  const kind = fileKind(name, type);
  if (kind === "pdf") return "pages";
  if (kind === "audio" || kind === "video") return kind;
  const isText = kind === "table" || kind === "text" || kind === "code";
  return isText && !isOfficeFile(name, type) ? "text" : "extracted";
}

function isOfficeFile(name: string, type: string): boolean {
  return (
    /officedocument|opendocument|msword|ms-(?:excel|powerpoint)|\brtf\b/i.test(type) ||
    /\.(?:docx?|xlsx?|pptx?|od[tsp]|rtf)$/i.test(name)
  );
}
