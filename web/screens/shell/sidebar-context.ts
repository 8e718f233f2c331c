import { createContext, use } from "react";

/** Whether the sidebar is visible, for screens that have a button to open it. */
export const SidebarContext = createContext({ isOpen: true, open: () => {} });

export function useSidebar() {
  return use(SidebarContext);
}
