import { createLazyModule } from "#web/ui/lazy-module.ts";

/** The folders of the sidebar, and the note in a new chat for one. */
export const folderList = createLazyModule(
  async () => ({ ...(await import("./folder-list.tsx")), ...(await import("./new-in-folder.tsx")) }),
  ({ FolderList, NewInFolder }) => ({ FolderList, NewInFolder }),
  "folders",
);
