type Render = (nowMs: number, frameMs: number) => void;

const frameMs = 1_000 / 60;

/** Renders that wait until the last rendered frame is painted. */
const waiting: Render[] = [];
let isFrameOpen = false;
/** Whether it took long to paint the last rendered frame. */
let isSlow = false;

/**
 * Calls `render` for the next frame, with the time and the time until the next call. It runs before that frame begins, and
 * once per frame, so that a frame has time for its layout and painting. If these take more than a quarter of a frame, as
 * on a slow device, `render` has the rest of a frame for itself, and every second frame is free for input and scrolling.
 * A hidden page, which has no frames, waits 250 ms; what waits for a frame when the page is hidden is shown with it.
 * `isUrgent`: it does not wait for a frame that is being painted, nor for a free one.
 */
export function onNextFrame(render: Render, isUrgent = false): void {
  if (document.visibilityState === "hidden")
    return void setTimeout(() => render(performance.now(), 250), 250);
  if (isUrgent && isFrameOpen) return run(render);
  waiting.push(render);
  if (!isFrameOpen) renderNext(isUrgent);
}

function renderNext(isUrgent = false): void {
  isFrameOpen = true;
  if (isSlow && !isUrgent) afterNextFrame(renderWaiting);
  else renderWaiting();
}

function renderWaiting(): void {
  // First, so that later frames come even if a render throws.
  afterNextFrame((paintMs) => {
    isFrameOpen = false;
    isSlow = paintMs > frameMs / 4;
    if (waiting.length > 0) renderNext();
  });
  for (const render of waiting.splice(0)) run(render);
}

function run(render: Render): void {
  try {
    render(performance.now(), isSlow ? 2 * frameMs : frameMs);
  } catch (error) {
    reportError(error);
  }
}

/** Calls `work` when the next frame is painted, with the time that it took. */
function afterNextFrame(work: (paintMs: number) => void): void {
  requestAnimationFrame(() => {
    const startMs = performance.now();
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => work(performance.now() - startMs), { once: true });
    port1.start();
    port2.postMessage(undefined);
  });
}
