/** Modules that were imported with another query, by their own URL: all users of a module get the same instance. */
const retried = new Map<string, Promise<object>>();

/**
 * Browsers remember a failed import for as long as the page lives and send no second request (Chromium since version
 * 150). So it is repeated with another query, if the browser's error message has the URL.
 */
export async function importOrRetry<Module extends object>(
  importModule: () => Promise<Module>,
): Promise<Module> {
  try {
    return await importModule();
  } catch (error) {
    const url = /https?:\/\/\S+\.js/.exec(String(error))?.[0];
    if (url === undefined) throw error;
    const retry = retried.get(url) ?? import(/* @vite-ignore */ `${url}?retry=${Date.now()}`);
    retried.set(url, retry);
    retry.catch(() => retried.delete(url));
    return (await retry) as Module;
  }
}
