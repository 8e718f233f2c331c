import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "@tanstack/react-router";
import { DataProvider } from "#web/data/provider.tsx";
import { readAhead } from "#web/data/read-ahead.ts";
import { loadInTime, loadRenderer } from "#web/markdown/lazy.ts";
import { followTheme } from "#web/preferences/preferences.ts";
import { router } from "./routes.tsx";

followTheme();
readAhead(location.pathname);

// A thread's answers need the renderer at once; a new chat brings it while nothing else is to be done.
if (location.pathname.startsWith("/t/")) void loadRenderer();
loadInTime();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has lost its #root");
createRoot(root).render(
  <StrictMode>
    <DataProvider>
      <RouterProvider router={router} />
    </DataProvider>
  </StrictMode>,
);
