import { createContext, use } from "react";

/** Whether the sidebar is seen, for screens that offer to bring it back. */
export const SidebarContext = createContext({ isOpen: true, open: () => {} });

export function useSidebar() {
  return use(SidebarContext);
}
