import type { Pdf, PictureFormat } from "#server/pdf/pdf.ts";
import type { DrawnPage, PageCache } from "./page-cache.ts";

/** How many pages there are, then each in its turn, once its picture is kept. */
export type Drawing = AsyncGenerator<{ count: number } | ({ number: number } & DrawnPage)>;

/** Draws a document, or takes it as it was drawn before. */
export function createDrawings({ pdf, cache }: { pdf: Pdf; cache: PageCache }) {
  return async function* draw(
    drawingId: string,
    bytes: Uint8Array,
    format: PictureFormat,
    signal: AbortSignal,
  ): Drawing {
    const kept = await cache.find(drawingId, format);
    if (kept !== undefined) {
      yield { count: kept.length };
      for (const [index, page] of kept.entries()) yield { number: index + 1, ...page };
      return;
    }
    const left = new AbortController();
    const told = createTold<{ count: number } | ({ number: number } & DrawnPage)>();
    const pages: DrawnPage[] = [];
    const either = AbortSignal.any([signal, left.signal]);
    const drawing = pdf.draw(
      bytes,
      format,
      {
        opened: (count) => told.tell({ count }),
        async page({ number, text, width, height, picture }) {
          await cache.keepPicture({ drawingId, number, format }, picture!, either);
          pages.push({ text, width, height });
          told.tell({ number, text, width, height });
        },
      },
      either,
    );
    drawing
      .then(async () => await cache.keepList(drawingId, pages))
      .then(
        () => told.end(),
        (error: unknown) => told.end(error),
      );
    try {
      yield* told.all();
    } finally {
      // Whoever listened is gone, or all is told.
      left.abort(new Error("nobody listens any more"));
    }
  };
}

/** What is told from one side and heard from the other, at its own pace. */
function createTold<T>() {
  const heard: T[] = [];
  let over: { error?: unknown } | undefined;
  let wake = () => {};
  return {
    tell(value: T) {
      heard.push(value);
      wake();
    },
    end(error?: unknown) {
      over = error === undefined ? {} : { error };
      wake();
    },
    async *all(): AsyncGenerator<T> {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        while (heard.length > 0) yield heard.shift()!;
        if (over !== undefined) {
          if ("error" in over) throw over.error;
          return;
        }
        await promise;
      }
    },
  };
}
