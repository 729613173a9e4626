"""What pages share. Reading order: ``words`` (states, numbers and times in words), ``campaigns`` (which campaign a page
shows), ``choices`` and ``search`` (the parameters of a new campaign), ``plan`` (its estimate), ``live`` (its progress),
``history`` (the list of campaigns), ``cards`` (one test pair)."""
