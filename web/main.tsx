import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readAhead } from "#web/data/sync/read-ahead.ts";
import { loadRenderer } from "#web/markdown/lazy-markdown.ts";
import { followLanguage, followLook } from "#web/preferences/follow.ts";
import { App } from "./app/app.tsx";
import { loadInTime } from "./app/idle-loading.ts";

followLook();
readAhead(location.pathname);

// A thread's answers need the renderer at once; a new chat brings it while nothing else is to be done.
if (location.pathname.startsWith("/t/")) void loadRenderer();
loadInTime();

void start();

async function start(): Promise<void> {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has lost its #root");
  try {
    await followLanguage();
  } catch (error) {
    // Without words there is nothing to show but what stands in the page itself.
    document.getElementById("not-loaded")?.removeAttribute("hidden");
    throw error;
  }
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
