"""What people get to see: whole files, progress, pictures, documents."""
