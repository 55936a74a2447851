"""LaTeX commands for letters, accents and symbols."""

ACCENTS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "r": "\u030a", "k": "\u0328",
}  # fmt: skip
"""The combining character of each accent command."""

LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "i", "j": "j", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "euro": "€", "pounds": "£", "S": "§",
    "P": "¶", "copyright": "©", "textregistered": "®", "texttrademark": "™", "textdegree": "°",
}  # fmt: skip
"""Commands for letters and signs in text; LaTeX ignores the space after them."""

SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "vartheta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "equiv": "≡",
    "sim": "∼", "simeq": "≃", "propto": "∝", "times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓", "infty": "∞",
    "sum": "∑", "prod": "∏", "int": "∫", "partial": "∂", "nabla": "∇", "in": "∈", "notin": "∉", "subset": "⊂",
    "subseteq": "⊆", "supset": "⊃", "cup": "∪", "cap": "∩", "emptyset": "∅", "forall": "∀", "exists": "∃", "neg": "¬",
    "land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨", "to": "→", "rightarrow": "→", "leftarrow": "←", "mapsto": "↦",
    "Rightarrow": "⇒", "Leftarrow": "⇐", "Leftrightarrow": "⇔", "iff": "⇔", "implies": "⇒", "ldots": "…", "dots": "…",
    "cdots": "…", "langle": "⟨", "rangle": "⟩", "ell": "ℓ", "hbar": "ħ", "circ": "∘", "oplus": "⊕", "otimes": "⊗",
    "perp": "⊥", "parallel": "∥", "angle": "∠", "degree": "°", "prime": "′", "star": "⋆", "ll": "≪", "gg": "≫",
    "mid": "|", "vert": "|", "lbrace": "{", "rbrace": "}", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
    "quad": " ", "qquad": " ", "log": "log", "ln": "ln", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan",
    "min": "min", "max": "max", "arg": "arg", "lim": "lim", "inf": "inf", "sup": "sup", "det": "det", "Pr": "Pr",
    "bullet": "•", "dagger": "†", "checkmark": "✓", "textbackslash": "\\", "textasciitilde": "~",
}  # fmt: skip
"""Commands for symbols in formulas."""
