import { RouterProvider } from "@tanstack/react-router";
import { DataProvider } from "#web/data/provider.tsx";
import { useLanguageTag } from "#web/i18n/load-language.ts";
import { router } from "./routes.tsx";

/** The whole app. A change of language remounts every screen but keeps the data. */
export function App() {
  return (
    <DataProvider>
      <RouterProvider key={useLanguageTag()} router={router} />
    </DataProvider>
  );
}
