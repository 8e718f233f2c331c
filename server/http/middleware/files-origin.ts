import type { AppMiddleware } from "../request-context.ts";

/*
 * With a separate origin for files, a file that a browser opens shares its origin with other files only: not with the
 * API or the web app. That origin serves nothing else, and the main origin serves no file without a credential.
 */

/** Answers 404 on the files' origin for everything that is not a file. */
export function refuseOnFilesOrigin(filesOrigin: string | undefined): AppMiddleware {
  const filesHost = filesOrigin === undefined ? undefined : new URL(filesOrigin).host;
  return async (c, next) => {
    const { path } = c.req;
    const isRefused = filesHost !== undefined && c.req.header("host") === filesHost && !isFile(path);
    return isRefused ? c.text("Not Found", 404) : await next();
  };
}

/** Redirects URLs of files from the main origin, where they were created before files had their own. */
export function redirectToFilesOrigin(filesOrigin: string | undefined): AppMiddleware {
  const files = filesOrigin === undefined ? undefined : new URL(filesOrigin);
  return async (c, next) => {
    const { path, url } = c.req;
    if (files === undefined || c.req.header("host") === files.host || !isPublicFile(path))
      return await next();
    return c.body(null, 308, {
      ...c.get("commonHeaders"),
      Location: files.origin + path + new URL(url).search,
      "Cache-Control": "private, no-store",
    });
  };
}

/** Files that are served without a credential. */
function isPublicFile(path: string): boolean {
  return /^\/v1\/(content|pages)\//.test(path);
}

function isFile(path: string): boolean {
  return isPublicFile(path) || /^\/v1\/files\/[^/]+\/content$/.test(path);
}
