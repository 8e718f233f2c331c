import type { PasswordHasher } from "../people/accounts/password-hash.ts";
import type { Attempts } from "../sign-in/attempts/attempts.ts";
import type { Rights } from "../people/rights/rights.ts";
import { deriveSecret } from "../sign-in/secrets.ts";
import type { Files } from "../files/files.ts";
import type { Live } from "../live/live.ts";
import type { AuthorsOf } from "../messages/authors.ts";
import { createMessageImport } from "../messages/import-messages.ts";
import { createContinueShare } from "../shares/continue-share.ts";
import { createLiveViews } from "../shares/live-views.ts";
import { createOpenShares } from "../shares/open-share.ts";
import { createPublicShares } from "../shares/public-shares.ts";
import { createBranchReader } from "../shares/read-branch.ts";
import { createSharePages } from "../shares/render-share-pages.ts";
import { createHtmlCache } from "../shares/rendering/html-cache.ts";
import { createRenderBudgets } from "../shares/rendering/render-budgets.ts";
import { createRenderWorker } from "../shares/rendering/render-worker.ts";
import { createShareTokens } from "../shares/share-tokens.ts";
import { createShares, newShareTopic } from "../shares/shares.ts";
import { createThreadImport } from "../threads/import-threads.ts";
import type { Threads } from "../threads/threads.ts";
import { shareFolderOf, type Dependencies } from "./dependencies.ts";

/** Sharing by link: for the person who shares, and for their readers. */
export function composeShares(
  { options, db, clock, logger, secret, quota }: Dependencies,
  modules: {
    rights: Rights;
    live: Live;
    threads: Threads;
    files: Files;
    authorsOf: AuthorsOf;
    hasher: PasswordHasher;
    attempts: Attempts;
  },
) {
  const { rights, live, threads, files, authorsOf, hasher, attempts } = modules;
  const tokens = createShareTokens(deriveSecret(secret, "links to shared threads"));
  const openShares = createOpenShares({
    db,
    clock,
    secret: deriveSecret(secret, "passes of shared threads"),
    tokens,
    hasher,
    attempts,
    rights,
  });
  const worker = createRenderWorker({
    folderOf: async () => await shareFolderOf(options),
    logger,
  });
  const branches = createBranchReader({ db, authorsOf, filesIn: worker.filesIn });
  const cache = createHtmlCache({ db, clock, logger });
  const budgets = createRenderBudgets(clock, options.shareRenderMsPerMinute);
  const pages = createSharePages({ branches, worker, cache, budgets });
  // So that the first reader does not wait for it. A failure is reported to readers.
  db.pubSub.subscribe(newShareTopic, () => void worker.warmUp().catch(() => {}));
  return {
    async close(): Promise<void> {
      await worker.close();
      await cache.close();
    },
    shares: createShares({
      db,
      clock,
      tokens,
      threads,
      hasher,
    }),
    publicShares: createPublicShares({
      openShares,
      branches,
      pages,
      liveViews: createLiveViews({ db, logger, openShares, branches, pages }),
      downloads: files.downloads,
    }),
    continueShare: createContinueShare({
      db,
      clock,
      openShares,
      branches,
      contents: files.contents,
      transferFiles: files.transfer,
      threadImport: createThreadImport({ db, live, clock }),
      messageImport: createMessageImport({ db, live, fileReferences: files.fileReferences, quota }),
    }),
  };
}
