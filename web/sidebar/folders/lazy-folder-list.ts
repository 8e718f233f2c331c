import { loadScreenStrings } from "#web/i18n/load-language.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";

/** The folders of the sidebar. */
export const folderList = createLazyModule(
  async () => await import("./folder-list.tsx"),
  ({ FolderList }) => ({ FolderList }),
  loadScreenStrings,
);
