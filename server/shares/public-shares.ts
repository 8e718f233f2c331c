import type { Files } from "../files/files.ts";
import type { EventBatch, FileResponse, RequestFacts } from "../lib/route.ts";
import type { LiveViews } from "./live-views.ts";
import type { Opened, OpenShares, Reader } from "./open-share.ts";
import type { BranchReader, Position, SharedBranch } from "./read-branch.ts";
import type { OpenShare } from "./rows.ts";
import type { RenderOptions, RenderedMessage, SharePages } from "./render-share-pages.ts";

/** What readers of links do, on pages outside the API. */
export type PublicShares = ReturnType<typeof createPublicShares>;

/** A page of messages. `html` renders them while it is read. */
export type ReadBranch = Pick<SharedBranch, "earlier" | "description"> & { html: AsyncIterable<string> };

export function createPublicShares(options: {
  openShares: OpenShares;
  branches: BranchReader;
  pages: SharePages;
  liveViews: LiveViews;
  downloads: Pick<Files["downloads"], "openShared">;
}) {
  const { openShares, branches, pages, liveViews, downloads } = options;

  type LinkRequest = Pick<RenderOptions, "path" | "language" | "limitKey">;
  const renderOptionsOf = ({ path, language, limitKey }: LinkRequest): RenderOptions => ({
    path,
    language,
    limitKey,
  });

  return {
    /** `undefined` for every token that does not work, whatever the reason. */
    open: async (token: string, reader: Reader): Promise<Opened | undefined> =>
      await openShares.open(token, reader),

    /** The pass for the password; `undefined` if it is wrong. Throws `rate-limited`, `too-many-attempts` and `server-busy`. */
    unlock: openShares.unlock,

    /** Throws `rate-limited` if too much was rendered for the link or its reader. */
    async read(
      share: OpenShare,
      position: Position,
      request: LinkRequest,
      signal: AbortSignal,
    ): Promise<ReadBranch> {
      const { messages, earlier, description } = await branches.read(share, position);
      const rendered = await pages.open(share, messages, renderOptionsOf(request), signal);
      return { earlier, description, html: htmlOf(rendered) };
    },

    countView: openShares.countView,

    /** A file that the link shares; `undefined` for all others. */
    async openFile(
      share: OpenShare,
      fileId: string,
      request: Pick<RequestFacts, "range" | "ifRange" | "ifNoneMatch">,
    ): Promise<FileResponse | undefined> {
      if (!(await branches.sharesFile(share, fileId))) return undefined;
      return await downloads.openShared(share.workspace_id, fileId, request);
    },

    /**
     * The changes of a live view of the branch through `at`, until the link ends for its readers or `signal` aborts. The first
     * read throws `rate-limited` like `read`.
     */
    follow: (
      share: OpenShare,
      at: string | undefined,
      request: LinkRequest,
      signal: AbortSignal,
    ): AsyncGenerator<EventBatch> => liveViews.follow(share, at, renderOptionsOf(request), signal),
  };
}

async function* htmlOf(rendered: AsyncIterable<RenderedMessage[]>): AsyncGenerator<string> {
  for await (const messages of rendered) yield messages.map(({ html }) => html).join("");
}
