import type { ShareRenderer } from "#contract/parts/share-page.ts";
import type { Files } from "../files/files.ts";
import type { EventBatch, FileResponse, RequestFacts } from "../lib/route.ts";
import type { LiveViews } from "./live-views.ts";
import type { Opened, OpenShares, Reader } from "./open-share.ts";
import type { BranchReader, Position } from "./read-branch.ts";
import type { OpenShare } from "./rows.ts";
import type { RenderOptions, PreparedBranch, RenderedMessage, SharePages } from "./share-pages.ts";

/** What readers of links do, on pages outside the API. */
export type PublicShares = ReturnType<typeof createPublicShares>;

/** A page of messages. `html` renders them while it is read. */
export type ReadBranch = Pick<PreparedBranch, "earlier" | "description"> & { html: AsyncIterable<string> };

export function createPublicShares(options: {
  openShares: OpenShares;
  branches: BranchReader;
  pages: SharePages;
  liveViews: LiveViews;
  downloads: Pick<Files["downloads"], "openShared">;
}) {
  const { openShares, branches, pages, liveViews, downloads } = options;

  type LinkRequest = { token: string; renderer: ShareRenderer; language: string };
  const renderOptionsOf = ({ token, renderer, language }: LinkRequest): RenderOptions => ({
    path: `/s/${token}`,
    addressOf: (fileId) => `/s/${token}/files/${fileId}`,
    renderer,
    language,
  });

  return {
    /** `undefined` for every token that does not work, whatever the reason. */
    open: async (token: string, reader: Reader): Promise<Opened | undefined> =>
      await openShares.open(token, reader),

    /** The pass for the password; `undefined` if it is wrong. Throws `rate-limited`, `too-many-attempts` and `server-busy`. */
    unlock: openShares.unlock,

    async read(share: OpenShare, position: Position, request: LinkRequest): Promise<ReadBranch> {
      const renderOptions = renderOptionsOf(request);
      const branch = await pages.read(share, position, renderOptions);
      const { earlier, description } = branch;
      return { earlier, description, html: htmlOf(pages.render(branch, renderOptions)) };
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

    /** The changes of a live view of the branch through `at`, until the link ends for its readers or `signal` aborts. */
    follow: (
      share: OpenShare,
      at: string | undefined,
      request: LinkRequest,
      signal: AbortSignal,
    ): AsyncIterable<EventBatch> => liveViews.follow(share, at, renderOptionsOf(request), signal),
  };
}

async function* htmlOf(rendered: AsyncIterable<RenderedMessage[]>): AsyncGenerator<string> {
  for await (const messages of rendered) yield messages.map(({ html }) => html).join("");
}
