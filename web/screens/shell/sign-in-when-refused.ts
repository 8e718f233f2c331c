import { useEffect } from "react";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useSession } from "#web/data/session/session.ts";

/** The screens that people need before they are signed in. */
const openPaths = new Set(["/sign-in", "/sign-up", "/invite", "/reset", "/owner"]);

/** Shows the sign-in when the session of an account has ended, or when there are no guests. */
export function useSignInWhenRefused(): void {
  const { error } = useSession();
  const navigate = useNavigate();
  const location = useRouterState({ select: (state) => state.location });
  const isRefused = error?.code === "signed-out" || error?.code === "anonymous-off";
  const isOpen = openPaths.has(location.pathname);
  useEffect(() => {
    if (!isRefused || isOpen) return;
    const to = location.href === "/" ? {} : { to: location.href };
    void navigate({ to: "/sign-in", search: to, replace: true });
  }, [isRefused, isOpen, location.href, navigate]);
}
