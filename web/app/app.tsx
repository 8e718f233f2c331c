import { RouterProvider } from "@tanstack/react-router";
import { DataProvider } from "#web/data/provider.tsx";
import { useSpoken } from "#web/i18n/load-language.ts";
import { router } from "./routes.tsx";

/** The app in the language of the page; another language draws every screen anew, and keeps the data below. */
export function App() {
  return (
    <DataProvider>
      <RouterProvider key={useSpoken()} router={router} />
    </DataProvider>
  );
}
