import type { Pdf, PictureFormat } from "#server/pdf/pdf.ts";
import type { RenderedPage, PageCache } from "./page-cache.ts";

/** The number of pages, then each page in order, as soon as its picture is stored. */
export type Rendering = AsyncGenerator<RenderingEvent>;

type RenderingEvent = { count: number } | ({ number: number } & RenderedPage);

/** Renders a document, or returns its cached pages. */
export function createRenderings({ pdf, cache }: { pdf: Pdf; cache: PageCache }) {
  return async function* render(
    renderingId: string,
    bytes: Uint8Array,
    format: PictureFormat,
    signal: AbortSignal,
  ): Rendering {
    const cached = await cache.find(renderingId, format);
    if (cached !== undefined) {
      yield { count: cached.length };
      for (const [index, page] of cached.entries()) yield { number: index + 1, ...page };
      return;
    }
    const stopped = new AbortController();
    const queue = createQueue<RenderingEvent>();
    const pages: RenderedPage[] = [];
    const either = AbortSignal.any([signal, stopped.signal]);
    const rendering = pdf.render(
      bytes,
      format,
      {
        opened: (count) => queue.push({ count }),
        async page({ number, text, width, height, picture }) {
          await cache.savePicture({ renderingId, number, format }, picture!, either);
          pages.push({ text, width, height });
          queue.push({ number, text, width, height });
        },
      },
      either,
    );
    rendering
      .then(async () => await cache.savePageList(renderingId, pages))
      .then(
        () => queue.end(),
        (error: unknown) => queue.end(error),
      );
    try {
      yield* queue.values();
    } finally {
      stopped.abort(new Error("the reader has stopped"));
    }
  };
}

/** An unbounded queue: a slow reader must not use up the time limit of the rendering process. */
function createQueue<T>() {
  const queued: T[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = () => {};
  return {
    push(value: T) {
      queued.push(value);
      wake();
    },
    end(error?: unknown) {
      ended = error === undefined ? {} : { error };
      wake();
    },
    async *values(): AsyncGenerator<T> {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        while (queued.length > 0) yield queued.shift()!;
        if (ended !== undefined) {
          if ("error" in ended) throw ended.error;
          return;
        }
        await promise;
      }
    },
  };
}
