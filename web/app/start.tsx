import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "@tanstack/react-router";
import { prefetchPage } from "#web/data/sync/prefetch.ts";
import { loadRenderer } from "#web/markdown/lazy-markdown.ts";
import { applyLanguage, applyAppearance } from "#web/preferences/apply-preferences.ts";
import { DataProvider } from "#web/data/provider.tsx";
import { useLanguageTag } from "#web/i18n/load-language.ts";
import { preload } from "./preload.ts";
import { router } from "./routes.tsx";

/** Starts the app in index.html's `#root`. Throws when the language does not load. */
export async function startApp(): Promise<void> {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no #root.");
  applyAppearance();
  prefetchPage(location.pathname);
  // A thread's answers need the renderer at once; a new chat loads it when the person begins to write.
  if (location.pathname.includes("/t/")) void loadRenderer();
  preload();
  await applyLanguage();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

/** The whole app. A change of language remounts every screen but keeps the data. */
function App() {
  return (
    <DataProvider>
      <RouterProvider key={useLanguageTag()} router={router} />
    </DataProvider>
  );
}
