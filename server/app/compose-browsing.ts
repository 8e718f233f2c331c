import { createPages } from "../browsing/pages/pages.ts";
import { createReadPage } from "../browsing/read-page.ts";
import { createSearchWeb } from "../browsing/search-web.ts";
import { createSearchVault } from "../browsing/search/search-key.ts";
import { createWebSearch } from "../browsing/search/web-search.ts";
import type { Texts } from "../extraction/texts.ts";
import { createGuardedFetch } from "../fetch/guarded-fetch.ts";
import { createOutgoingProxy } from "../fetch/outgoing-proxy.ts";
import { mayStoreSecrets, type Dependencies } from "./dependencies.ts";

/** A person waits for the page. */
const pageTimeoutMs = 20_000;

/** The modules with which assistants search and read the web. `documentText` is called later, when there are files. */
export function composeBrowsing(
  dependencies: Dependencies,
  { documentText }: { documentText: Texts["extract"] },
) {
  const { config, clock, logger, db, secret } = dependencies;
  const webSearch = createWebSearch({
    db,
    clock,
    vault: createSearchVault(secret),
    mayStoreSecrets: mayStoreSecrets(dependencies),
    proxy: createOutgoingProxy(config.outgoingProxy),
  });
  const pages = createPages({
    clock,
    logger,
    guardedFetch: createGuardedFetch({ logger, ...config.fetch, timeoutMs: pageTimeoutMs }),
    documentText,
  });
  return {
    webSearch,
    tools: [createSearchWeb(webSearch), ...(config.fetch.enabled ? [createReadPage(pages)] : [])],
    close: pages.close,
  };
}
