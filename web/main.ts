import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/first-frame.css";

// The app's code is preloaded, but runs after the first frame is painted, because that takes longer than a frame. A hidden
// page has no frames.
if (document.hidden) void start();
else requestAnimationFrame(() => setTimeout(() => void start()));

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
