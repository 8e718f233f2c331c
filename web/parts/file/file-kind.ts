/** The kind of a file, by its media type, or else by its extension. */
export type FileKind = "pdf" | "image" | "audio" | "video" | "table" | "code" | "text" | "archive" | "other";

export function fileKind(name: string, type: string): FileKind {
  const byType = types.find(([pattern]) => pattern.test(type.toLowerCase()));
  if (byType !== undefined) return byType[1];
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return (
    extensions.find(([, list]) => list.includes(extension))?.[0] ??
    (type.startsWith("text/") ? "text" : "other")
  );
}

const types: [RegExp, FileKind][] = [
  [/^application\/pdf\b/, "pdf"],
  [/^image\//, "image"],
  [/^audio\//, "audio"],
  [/^video\//, "video"],
  [/^text\/(?:csv|tab-separated-values)\b|spreadsheet|ms-excel/, "table"],
  [/^application\/(?:zip|gzip|x-tar|x-7z-compressed|vnd\.rar)\b/, "archive"],
  [/^text\/(?:markdown|plain)\b|wordprocessing|msword|opendocument\.text|\brtf\b/, "text"],
  [/^(?:text|application)\/(?:javascript|typescript|json|xml|html|css|x-\w+|yaml|toml|sql)\b/, "code"],
];

const extensions: [FileKind, string[]][] = [
  ["pdf", ["pdf"]],
  ["image", ["png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "heic", "bmp"]],
  ["table", ["csv", "tsv", "xlsx", "xls", "ods"]],
  ["text", ["txt", "md", "rtf", "docx", "doc", "odt", "log"]],
  ["archive", ["zip", "gz", "tar", "7z", "rar", "bz2", "xz", "zst"]],
  [
    "code",
    "js ts tsx jsx mjs py rb rs go java kt c h cpp hpp cs swift php sh sql html css json xml yaml yml toml lua r jl".split(
      " ",
    ),
  ],
];
