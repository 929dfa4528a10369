// The few signs the console uses, drawn with the color of the text beside them.
const icon = (path: string, size = 18) => (
  <svg width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
    <path d={path} />
  </svg>
);

export const Logo = () => (
  <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="9" fill="currentColor" />
    <path d="M5 21c6 0 6-12 11-12s4 9 7 9 3-4 5-5" fill="none" stroke="var(--on-accent)" stroke-width="2.6" stroke-linecap="round" />
  </svg>
);
export const SearchIcon = () => icon("M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M20 20l-4-4", 20);
export const SunIcon = () => icon("M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5");
export const MoonIcon = () => icon("M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z");
export const AutoIcon = () => icon("M12 3a9 9 0 1 0 0 18zM12 3v18");
export const PersonIcon = () => icon("M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c0-4 3.5-6 8-6s8 2 8 6");
export const EmptyIcon = () => icon("M3 17c5 0 5-9 9-9s4 6 6 6 2-2 3-3M3 21h18", 40);
export const WarnIcon = () => icon("M12 4 2.8 20h18.4zM12 10v4.5M12 17.4v.1", 40);
export const CheckIcon = () => icon("M5 12.5 10 17.5 19.5 7", 20);
export const BoundIcon = () => icon("M4 6v12M20 6v12M4 12h16M8 9l-3 3 3 3M16 9l3 3-3 3", 20);
export const HintIcon = () => icon("M4 14c3-6 5-6 8-2s5 4 8-2M4 19h16", 20);
export const NoneIcon = () => icon("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M6 18 18 6", 20);
