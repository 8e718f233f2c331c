import { useLocation } from "@tanstack/react-router";

/** Where the assistants are shown: in a person's settings, or in the administration. */
export function useArea(): "/settings" | "/admin" {
  return useLocation({ select: ({ pathname }) => (pathname.startsWith("/admin/") ? "/admin" : "/settings") });
}
