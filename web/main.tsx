import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { prefetchPage } from "#web/data/sync/prefetch.ts";
import { loadRenderer } from "#web/markdown/lazy-markdown.ts";
import { followLanguage, followAppearance } from "#web/preferences/follow.ts";
import { App } from "./app/app.tsx";
import { preload } from "./app/preload.ts";

followAppearance();
prefetchPage(location.pathname);

// A thread's answers need the renderer at once; a new chat loads it when the person begins to write.
if (location.pathname.startsWith("/t/")) void loadRenderer();
preload();

void start();

async function start(): Promise<void> {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no #root.");
  try {
    await followLanguage();
  } catch (error) {
    // Without a catalogue of texts the app cannot show anything but index.html's own message.
    document.getElementById("not-loaded")?.removeAttribute("hidden");
    throw error;
  }
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
