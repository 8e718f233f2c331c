import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/vocabulary.css";
import "./styles/first-frame.css";

// The app's code runs after the first paint, because it takes longer than a frame. A hidden page is not painted.
if (document.hidden) void start();
else void firstPaint().then(start);

async function firstPaint(): Promise<void> {
  await new Promise<void>((resolve) => {
    new PerformanceObserver(() => resolve()).observe({ type: "paint", buffered: true });
    // Browsers that resist fingerprinting do not report it.
    setTimeout(resolve, 500);
  });
}

async function start(): Promise<void> {
  try {
    const { startApp } = await import("./app/start.tsx");
    await startApp();
  } catch (error) {
    // Without its code or a catalogue of texts the app cannot show anything but index.html's own message.
    document.querySelector(".first-frame")?.remove();
    document.getElementById("not-loaded")?.removeAttribute("hidden");
    throw error;
  }
}
