import { AppError } from "#server/lib/errors.ts";

/** The headers of a file's response: what a browser may do with it, ranges and caching. */

/** Types that browsers display and that cannot run code. Other types are downloads. */
const displayed =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|audio\/(mpeg|mp4|aac|ogg|opus|wav|vnd\.wave|x-wav|flac|x-flac|webm|x-m4a)|video\/(mp4|webm|ogg|quicktime))$/;

/** Types that are served as text. */
const plain = /^(text\/|application\/(json|jsonl|yaml|toml|javascript|xml|xhtml\+xml))/;

export type Served = {
  name: string;
  type: string;
  sizeBytes: number;
  /** The ETag without quotes. */
  tag: string;
};

/** `address`: everyone who has the URL, on any page; `credential`: the web app. */
export type OpenedBy = "address" | "credential";

export type ConditionalHeaders = {
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
};

export type ResponseHead = {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  /** The bytes of the body, both ends included; `undefined`: no body. */
  range: { start: number; end: number } | undefined;
};

/** Throws `range-not-satisfiable`. */
export function responseHead(
  file: Served,
  wanted: ConditionalHeaders,
  openedBy: OpenedBy,
  download: boolean,
): ResponseHead {
  const etag = `"${file.tag}"`;
  const always = {
    ETag: etag,
    // Browsers revalidate each time, so that a deleted file is not shown from the cache.
    "Cache-Control": "private, no-cache",
    "Accept-Ranges": "bytes",
    // Clients of the protocol show files by their URL on pages of other origins.
    "Cross-Origin-Resource-Policy": openedBy === "credential" ? "same-origin" : "cross-origin",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
  };
  if (matchesETag(wanted.ifNoneMatch, etag)) return { status: 304, headers: always, range: undefined };
  const headers = {
    ...always,
    "Content-Type": typeSent(file.type),
    "Content-Disposition": contentDisposition(file.name, download || !displayed.test(file.type)),
  };
  // An empty file has no range that could be sent.
  const isWhole =
    wanted.range === undefined ||
    file.sizeBytes === 0 ||
    (wanted.ifRange !== undefined && wanted.ifRange !== etag);
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
 * SVG keeps its type: inside `<img>` it runs no scripts, and opened directly it is a download. HTML and similar types
 * become text.
 */
function typeSent(type: string): string {
  if (displayed.test(type) || type === "image/svg+xml" || type === "application/pdf") return type;
  if (type === "text/html" || type === "text/javascript" || /xml/.test(type))
    return "text/plain; charset=utf-8";
  return plain.test(type) ? `${type}; charset=utf-8` : type;
}

/** RFC 6266, with the name twice: in ASCII for old programs, and unchanged (RFC 8187). */
export function contentDisposition(name: string, download: boolean): string {
  const label = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, "_");
  const plainName = label.replaceAll(/[^\x20-\x7e]|["%;]/g, "_");
  const fullName = encodeURIComponent(label.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${download ? "attachment" : "inline"}; filename="${plainName}"; filename*=UTF-8''${fullName}`;
}

/** Whether the client already has this version. */
export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag);
}

/** One range of bytes. Several ranges and other units get the whole file, as RFC 9110 allows. */
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
