/** Where files have an origin of their own, each of the two answers for what is its own, or says where that is. */
export type AtOrigin = (asked: { host: string | undefined; path: string; search: string }) => {
  isHere: boolean;
  leadsTo?: string;
};

/**
 * What is opened at the files' origin is of the same origin as every other file: nothing of the service or its page is.
 * Nor is any file that opens without a credential of the page's origin: addresses from before files had their own lead
 * there. `origin`: that of the files, where they have one.
 */
export function createAtOrigin(origin: string | undefined): AtOrigin {
  if (origin === undefined) return () => ({ isHere: true });
  const files = new URL(origin);
  return ({ host, path, search }) => {
    const isOpen = /^\/v1\/(content|pages)\//.test(path);
    if (host === files.host) return { isHere: isOpen || /^\/v1\/files\/[^/]+\/content$/.test(path) };
    return isOpen ? { isHere: false, leadsTo: files.origin + path + search } : { isHere: true };
  };
}
