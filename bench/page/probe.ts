/** Measurements since Enter was last pressed. Times are milliseconds since 1970, durations milliseconds. */
export type Probe = {
  pressedAt: number;
  /** When each stamp of the answer was visible for the first time, after the paint. */
  words: { sentAt: number; shownAt: number }[];
  /** The time and the duration of each frame. */
  frames: { at: number; ms: number }[];
  /** The durations of tasks longer than 50 ms. */
  tasks: number[];
  /** From each key press until the frame that shows it was painted. */
  keys: number[];
  /** The state of the last answer. */
  answer?: "running" | "ended";
  /** From the last input until the frame was painted in which `window.isShown()` was true for the first time. */
  shownMs?: number;
};

/**
 * Measures in the page. It is text, because it runs in the page, without access to this file. A task that a frame posts
 * runs after that frame is painted.
 */
export const probe = `(() => {
  const now = () => performance.timeOrigin + performance.now();
  const probe = { pressedAt: Infinity, words: [], frames: [], tasks: [], keys: [] };
  let keysAt = [];
  let inputAt;
  window.probe = probe;
  addEventListener("pointerdown", ({ timeStamp }) => (inputAt = timeStamp), true);
  addEventListener("keydown", ({ key, timeStamp }) => {
    inputAt = timeStamp;
    if (key === "Enter")
      Object.assign(probe, { pressedAt: performance.timeOrigin + timeStamp, words: [], frames: [], tasks: [], keys: [], answer: undefined });
    else if (key.length === 1) keysAt.push(timeStamp);
  }, true);
  new PerformanceObserver((list) => probe.tasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: "longtask" });

  const readsWords = () => probe.pressedAt !== Infinity && window.readsWords !== false;
  const stampsOf = (text) => (text.match(/\\d{13}\\.\\d/g) ?? []).map(Number);
  // Reading the whole answer in each frame would take longer than showing it.
  const endOf = (article) => {
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    let text = "";
    for (let node = lastText(texts, article); node !== null && text.length < 1_000; node = texts.previousNode())
      text = node.data.slice(-1_000) + text;
    return text;
  };
  const lastText = (texts, article) => {
    texts.currentNode = article;
    while (texts.lastChild() !== null);
    return texts.currentNode === article ? null : texts.currentNode;
  };
  let article;
  const painted = new MessageChannel();
  painted.port1.onmessage = () => {
    const shownAt = now();
    for (const at of keysAt.splice(0)) probe.keys.push(shownAt - performance.timeOrigin - at);
    if (window.isShown?.()) {
      delete window.isShown;
      probe.shownMs = shownAt - performance.timeOrigin - inputAt;
    }
    // Searching the whole page in each frame would take longer the longer the thread is.
    if (!article?.isConnected || probe.answer === undefined)
      article = document.querySelector("article[aria-busy=true]") ?? undefined;
    if (article === undefined) return;
    if (article.ariaBusy === "true") probe.answer = "running";
    else if (probe.answer === "running") probe.answer = "ended";
    if (!readsWords()) return;
    const last = Math.max(probe.pressedAt, probe.words.at(-1)?.sentAt ?? 0);
    let stamps = stampsOf(endOf(article));
    if (!(stamps[0] <= last)) stamps = stampsOf(article.textContent);
    for (const sentAt of stamps) if (sentAt > last) probe.words.push({ sentAt, shownAt });
  };
  let before;
  const frame = (at) => {
    if (before !== undefined) probe.frames.push({ at: performance.timeOrigin + at, ms: at - before });
    before = at;
    painted.port2.postMessage(0);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;
