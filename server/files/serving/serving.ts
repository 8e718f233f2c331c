import { AppError } from "#server/lib/errors.ts";

/** How a file goes out: what a browser may do with it, which part of it is wanted, and whether it is there already. */

/** What a browser shows by itself and runs nothing of. Everything else is saved, not opened. */
const shown =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|audio\/(mpeg|mp4|aac|ogg|opus|wav|vnd\.wave|x-wav|flac|x-flac|webm|x-m4a)|video\/(mp4|webm|ogg|quicktime))$/;

/** Texts that go out as nothing but text. */
const plain = /^(text\/|application\/(json|jsonl|yaml|toml|javascript|xml|xhtml\+xml))/;

export type Served = {
  name: string;
  type: string;
  sizeBytes: number;
  /** What tells these bytes from all others. */
  tag: string;
};

/** `address`: for whoever has that, on whatever page; `credential`: for our own pages alone. */
export type OpenedBy = "address" | "credential";

export type Wanted = {
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
};

export type Head = {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  /** The bytes that follow, both ends included; `undefined`: none do. */
  range: { start: number; end: number } | undefined;
};

/** The head of an answer. Throws `range-not-satisfiable`. */
export function headOf(file: Served, wanted: Wanted, openedBy: OpenedBy, download: boolean): Head {
  const etag = `"${file.tag}"`;
  const always = {
    ETag: etag,
    // Kept by the browser alone, and asked about each time: what was deleted is not shown any more.
    "Cache-Control": "private, no-cache",
    "Accept-Ranges": "bytes",
    // By its secret from pages of other origins too: clients of the protocol show what they attached.
    "Cross-Origin-Resource-Policy": openedBy === "credential" ? "same-origin" : "cross-origin",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
  };
  if (isThere(wanted.ifNoneMatch, etag)) return { status: 304, headers: always, range: undefined };
  const headers = {
    ...always,
    "Content-Type": typeSent(file.type),
    "Content-Disposition": dispositionOf(file.name, download || !shown.test(file.type)),
  };
  const isWhole = wanted.range === undefined || (wanted.ifRange !== undefined && wanted.ifRange !== etag);
  const range = isWhole ? undefined : rangeOf(wanted.range!, file.sizeBytes);
  if (range === undefined)
    return {
      status: 200,
      headers: { ...headers, "Content-Length": String(file.sizeBytes) },
      range: file.sizeBytes === 0 ? undefined : { start: 0, end: file.sizeBytes - 1 },
    };
  return {
    status: 206,
    headers: {
      ...headers,
      "Content-Length": String(range.end - range.start + 1),
      "Content-Range": `bytes ${range.start}-${range.end}/${file.sizeBytes}`,
    },
    range,
  };
}

/**
 * SVG keeps its type, for pictures that a page shows run no script, and is saved where it is opened by itself. HTML and
 * its kin go as text.
 */
function typeSent(type: string): string {
  if (shown.test(type) || type === "image/svg+xml" || type === "application/pdf") return type;
  if (type === "text/html" || type === "text/javascript" || /xml/.test(type))
    return "text/plain; charset=utf-8";
  return plain.test(type) ? `${type}; charset=utf-8` : type;
}

/** RFC 6266, with the name twice: for old programs in letters that no header breaks at, and as it is (RFC 8187). */
export function dispositionOf(name: string, download: boolean): string {
  const label = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, "_");
  const plainName = label.replaceAll(/[^\x20-\x7e]|["%;]/g, "_");
  const fullName = encodeURIComponent(label.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${download ? "attachment" : "inline"}; filename="${plainName}"; filename*=UTF-8''${fullName}`;
}

/** Whether a browser has what is named so already. */
export function isThere(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag);
}

/** One range of bytes; several at once, and other units, are answered with the whole (RFC 9110 allows it). */
function rangeOf(text: string, size: number): { start: number; end: number } | undefined {
  const spec = /^\s*bytes\s*=(.*)$/i.exec(text)?.[1];
  if (spec === undefined || spec.includes(",")) return undefined;
  const [, first = "", last = ""] = /^(\d*)\s*-\s*(\d*)$/.exec(spec.trim()) ?? [];
  if (first === "" && last === "") throw noSuchRange(size);
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end || start >= size || (first === "" && Number(last) === 0)) throw noSuchRange(size);
  return { start, end };
}

function noSuchRange(size: number): AppError {
  return new AppError("range-not-satisfiable", { headers: { "Content-Range": `bytes */${size}` } });
}
